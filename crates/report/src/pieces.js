// The pieces of shogi: signs, and pictures that show how each of them moves.
import { draw, hasKanji } from "./dom.js";

/**
 * One sign.
 * @type {Record<string, string>}
 */
const ONE = { P: "歩", L: "香", N: "桂", S: "銀", G: "金", B: "角", R: "飛", K: "玉", "+P": "と", "+L": "杏", "+N": "圭", "+S": "全", "+B": "馬", "+R": "龍" };
/**
 * Two signs.
 * @type {Record<string, string>}
 */
const TWO = { P: "歩兵", L: "香車", N: "桂馬", S: "銀将", G: "金将", B: "角行", R: "飛車", K: "玉将", "+P": "と金", "+L": "成香", "+N": "成桂", "+S": "成銀", "+B": "龍馬", "+R": "龍王" };

/**
 * Pictures in a field of 60 x 60 around the middle.
 * @type {Record<string, string>}
 */
const PICTURES = {
  P: "M0-21a10.5 10.5 0 0 1 6.2 19L13 21H-13L-6.2-2A10.5 10.5 0 0 1 0-21Z",
  L: "M0-27L9-9H3.500V13H9V21H-9V13H-3.500V-9H-9Z",
  N: "M-14 21C-15 8-4 4-3-5L-12 1L-17-6L-5-19L-3-26L3-20C17-17 17 6 13 21Z",
  S: "M0-24L18-15V-1C18 11 9 18 0 23C-9 18-18 11-18-1V-15ZM0-16L-11-10.500V-1C-11 6-6 11 0 14.500C6 11 11 6 11-1V-10.500Z",
  G: "M0-24L18-15V-1C18 11 9 18 0 23C-9 18-18 11-18-1V-15Z",
  B: "M0-27L3-22C15-13 15 0 8 8H-8C-15 0-15-13-3-22ZM-13 12H13V21H-13ZM-2.5-15V-8H-8V-4H-2.500V4H2.500V-4H8V-8H2.500V-15Z",
  R: "M-16-23H-9V-17H-4V-23H4V-17H9V-23H16V-9H11L13 11H17V21H-17V11H-13L-11-9H-16Z",
  K: "M-20-15L-11-3L0-25L11-3L20-15L15 14H-15ZM-15 17H15V22H-15Z",
};

/** @typedef {[number, number]} Way */
/** @type {Record<string, Way>} */
const WAYS = { n: [0, -1], s: [0, 1], e: [1, 0], w: [-1, 0], ne: [1, -1], nw: [-1, -1], se: [1, 1], sw: [-1, 1] };
const GOLD = ["n", "ne", "nw", "e", "w", "s"];
const ALL = Object.keys(WAYS);
/**
 * Ways of one step, and ways that go on; Black looks up.
 * @type {Record<string, [string[], string[]]>}
 */
const MOVES = {
  P: [["n"], []], L: [[], ["n"]], N: [[], []], S: [["n", "ne", "nw", "se", "sw"], []], G: [GOLD, []], K: [ALL, []],
  B: [[], ["ne", "nw", "se", "sw"]], R: [[], ["n", "s", "e", "w"]],
  "+P": [GOLD, []], "+L": [GOLD, []], "+N": [GOLD, []], "+S": [GOLD, []],
  "+B": [["n", "s", "e", "w"], ["ne", "nw", "se", "sw"]], "+R": [["ne", "nw", "se", "sw"], ["n", "s", "e", "w"]],
};
/** @type {Record<string, number>} */
const SIZES = { P: 0.87, L: 0.9, N: 0.92, S: 0.95, G: 0.95, B: 0.98, R: 0.98, K: 1 };

/** The outline of a piece. */
const OUTLINE = "M0-45L30-34.5 39 42H-39L-30-34.500Z";

/**
 * The shadow of a piece in the same field. A filter of the browser takes many times as long to paint.
 * @param {Element} parent @param {string} cell
 */
export const drawShade = (parent, cell) => draw(parent, "path", { class: "shade", d: OUTLINE, transform: `scale(${SIZES[cell.toUpperCase().replace("+", "")] || 1})` });

/**
 * A piece in a field of 100 x 100 around the middle of `parent`, upright.
 * @param {Element} parent @param {string} cell a letter of SFEN @param {Manner["pieces"]} manner
 */
export function drawPiece(parent, cell, manner) {
  const name = cell.toUpperCase(), white = cell !== name, promoted = name.startsWith("+");
  const plain = name.replace("+", "");
  const tile = draw(parent, "g", { transform: `scale(${SIZES[plain] || 1})` });
  draw(tile, "path", { class: "koma", d: OUTLINE });
  const ink = promoted ? "sign promoted" : "sign";
  if (manner === "pictures") return drawPicture(tile, name, plain, ink);
  if (manner === "letters") return draw(tile, "text", { class: ink + " latin", y: 6, "font-size": name.length > 1 ? 42 : 50 }, name);
  if (manner === "two") {
    const signs = name === "K" && white ? "王将" : TWO[name] || "？？";
    draw(tile, "text", { class: ink, y: -14, "font-size": 37 }, signs[0]);
    return draw(tile, "text", { class: ink, y: 22, "font-size": 37 }, signs[1]);
  }
  return draw(tile, "text", { class: ink, y: 4, "font-size": 56 }, name === "K" && white ? "王" : ONE[name] || "？");
}

/** @param {Element} tile @param {string} name @param {string} plain @param {string} ink */
function drawPicture(tile, name, plain, ink) {
  draw(tile, "path", { class: ink, "fill-rule": "evenodd", transform: "translate(0 5) scale(.8)", d: PICTURES[plain] || "" });
  const [steps, slides] = MOVES[name] || [[], []];
  for (const way of steps) {
    const [x, y] = WAYS[way];
    draw(tile, "circle", { class: ink, cx: x * 25, cy: 5 + y * 28.5, r: 3.4 });
  }
  for (const way of slides) {
    const [x, y] = WAYS[way];
    const [fromX, fromY, toX, toY] = [x * 20, 5 + y * 23, x * 28, 5 + y * 33];
    draw(tile, "path", { class: ink + " slide", d: `M${fromX} ${fromY}L${toX} ${toY}` });
  }
  if (name === "N") for (const x of [-11, 11]) draw(tile, "circle", { class: ink, cx: x, cy: -31, r: 3.4 });
}

/**
 * The sign of a piece for texts.
 * @param {string} letter
 * @param {boolean} kanji
 */
export const signOf = (letter, kanji) => (kanji ? ONE[letter.toUpperCase()] || letter : letter.toUpperCase());

/**
 * The wanted manner; pictures where no font has the signs.
 * @param {Manner["pieces"]} wanted
 * @returns {Manner["pieces"]}
 */
export const piecesManner = (wanted) => ((wanted === "one" || wanted === "two") && !hasKanji() ? "pictures" : wanted);
