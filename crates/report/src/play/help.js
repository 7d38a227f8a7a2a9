// Help: the keys, and the rules of each game with a board.
import { Board } from "../board.js";
import { make } from "../dom.js";
import { drawPiece, piecesManner } from "../pieces.js";
import { gameNames, look, moreTexts, say } from "../words.js";
import { dialog, likes } from "./dialogs.js";

/**
 * A position from rows of signs, a sign a cell.
 * @param {Picture["style"]} style
 * @param {string[]} rows from the top
 * @returns {Picture}
 */
function pictureOf(style, rows) {
  const columns = rows[0].length, names = rows.flatMap((_, row) => [...rows[0]].map((_, column) => (style === "pieces" ? `${9 - column}${String.fromCharCode(97 + row)}` : String.fromCharCode(97 + column) + (style === "stones" ? rows.length - row : row + 1))));
  const man = (/** @type {string} */ sign) => {
    if (sign === ".") return null;
    if (style === "pieces") return { side: /** @type {Man["side"]} */ (sign === sign.toUpperCase() ? "first" : "second"), kind: sign.toUpperCase() };
    return { side: /** @type {Man["side"]} */ ((sign === "b") === (style === "discs") ? "first" : "second"), kind: "" };
  };
  return { style, columns, rows: rows.length, names, cells: rows.flatMap((row) => [...row].map(man)), hands: [[], []], toMove: "first", number: 1, check: null, counts: null, territory: [[], []] };
}

/**
 * The board of each style with what it shows.
 * @type {Record<Picture["style"], { rows: string[], overlay: Overlay }>}
 */
const BOARDS = {
  pieces: { rows: ["lnsgkgsnl", ".r.....b.", "ppppppppp", ".........", ".........", ".........", "PPPPPPPPP", ".B.....R.", "LNSGKGSNL"], overlay: { arrows: [{ from: "7g", to: "7f", kind: "best" }] } },
  discs: { rows: ["........", "........", "........", "...wb...", "...bw...", "........", "........", "........"], overlay: { choices: ["d3", "c4", "f5", "e6"].map((to) => ({ from: null, to, turns: [to] })) } },
  stones: { rows: [".w.b.", ".w.b.", "ww.bb", ".w.b.", ".w.b."], overlay: {} },
};

/** Pieces of shogi in the order of their worth. */
const PIECES = ["K", "R", "+R", "B", "+B", "G", "S", "+S", "N", "+N", "L", "+L", "P", "+P"];
/** Paragraphs of the rules. */
const PARAGRAPHS = 7;
const KEYS = [["← →", "step"], ["Home End", "ends"], ["f", "flip"], ["h", "hint"], ["m", "mute"], ["↑ ↓ ← →, Enter", "board"], ["Backspace", "unstone"], ["Esc", "leave"], ["?", "help"]];

/** @param {string} name */
function piece(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "-50 -50 100 100");
  svg.setAttribute("class", "board icon");
  drawPiece(svg, name, "pictures");
  return make("li", {}, svg, make("span", {}, make("b", {}, say("piece-" + name)), " ", say("moves-" + name)));
}

/**
 * The rules of a game.
 * @param {string} game
 */
function rules(game) {
  const { style } = look(game), host = make("div", { class: "board-host rules-board" }), parts = [];
  for (let number = 1; number <= PARAGRAPHS; number++) {
    const key = `rules-${style}-${number}`, text = say(key);
    if (text !== key) parts.push(make("p", {}, text));
  }
  const section = make("section", { "data-rules": game }, make("h3", {}, say(game)), host, ...parts);
  if (style === "pieces") section.append(make("h3", {}, say("pieces")), make("ul", { class: "piece-list" }, ...PIECES.map(piece)));
  const board = new Board(host);
  board.manner = { flipped: false, coordinates: true, pieces: piecesManner(likes("pieces", "one")) };
  board.show(pictureOf(style, BOARDS[style].rows), BOARDS[style].overlay);
  // It is a picture: nothing on it can be pressed.
  host.querySelectorAll("[tabindex]").forEach((cell) => { cell.removeAttribute("tabindex"); });
  host.setAttribute("aria-hidden", "true");
  return section;
}

function keys() {
  return make("section", { "data-rules": "keys" }, make("h3", {}, say("keys")), make("table", { class: "keys" }, make("tbody", {}, ...KEYS.map(([key, does]) => make("tr", {}, make("th", { scope: "row" }, make("kbd", {}, key)), make("td", {}, say("key-" + does)))))), make("p", {}, say("mouse-help")));
}

/** @param {string} game the one whose rules are shown first */
export async function help(game) {
  await moreTexts();
  const host = make("div"), names = [...gameNames(), "keys"];
  const tabs = make("div", { class: "segments four", role: "group" }, ...names.map((name) => make("button", { type: "button", "data-help": name }, say(name))));
  const show = (/** @type {string} */ name) => {
    tabs.querySelectorAll("button").forEach((button) => button.setAttribute("aria-pressed", String(button.dataset.help === name)));
    host.replaceChildren(name === "keys" ? keys() : rules(name));
  };
  tabs.addEventListener("click", (event) => {
    const { help: name } = /** @type {HTMLElement} */ (event.target).dataset;
    if (name) show(name);
  });
  dialog("help", say("help"), tabs, host);
  show(game);
}
