// What players call what stands on the board: castles and rook openings of shogi, openings of Reversi.
import { say } from "../words.js";
import { pathTo } from "./panel.js";

/**
 * Castles for Black: the king's square and the pieces around it, as in `src/shogi/evaluate/hce/castles.rs`.
 * @type {[string, string, string[]][]}
 */
const CASTLES = [
  ["yagura", "88", ["S77", "G67", "G78"]], ["mino", "28", ["S38", "G49", "G58"]], ["high-mino", "28", ["S38", "G49", "G47"]], ["silver-crown", "28", ["S27", "G38", "G47"]],
  ["anaguma", "19", ["L18", "S28", "G39", "G38"]], ["boat", "78", ["S79", "G69", "G58"]], ["elmo", "78", ["S68", "G79", "G59"]], ["crab", "69", ["S68", "G78", "G58"]],
  ["gold-fence", "38", ["S28", "G48", "G58"]], ["central-house", "58", ["S48", "G78", "G38"]],
];

/**
 * The kind of the man of `side` on a square, given as Black sees it; `mirrored` counts files from the other end.
 * @param {Picture} picture @param {Side} side @param {string} square @param {boolean} mirrored
 */
function kindAt(picture, side, square, mirrored) {
  const [file, rank] = [Number(square[0]), Number(square[1])].map((number) => (side ? 10 - number : number)), column = mirrored ? 10 - file : file;
  const man = picture.cells[(rank - 1) * 9 + 9 - column];
  return man && man.side === (side ? "second" : "first") ? man.kind : "";
}

/**
 * The castle and the rook of a side, in words.
 * @param {Picture} picture
 * @param {Side} side
 */
export function formation(picture, side) {
  if (picture.style !== "pieces") return "";
  const found = [];
  for (const [name, king, parts] of CASTLES) {
    const stands = (/** @type {boolean} */ mirrored) => kindAt(picture, side, king, mirrored) === "K" && parts.every((part) => kindAt(picture, side, part.slice(1), mirrored) === part[0]);
    if (stands(false) || stands(true)) found.push(say("castle-" + name));
  }
  // On the second rank the rook's file names the opening: the second is where it begins.
  for (const file of [5, 6, 7, 8]) if (kindAt(picture, side, `${file}8`, false) === "R") found.push(say("rook-" + file));
  return found.join(" · ");
}

/**
 * The opening of Reversi that a game began with; its second turn decides, whichever way the board is turned.
 * @param {PlayState} state
 */
export function opening({ game, nodes, node, start, picture }) {
  if (picture.style !== "discs" || game !== "reversi" || nodes.length < 3 || !/OX-{6}XO|XO-{6}OX/.test(start)) return "";
  const [first, second] = pathTo(nodes, node).slice(0, 2).map((id) => nodes[id].t);
  if (!second) return "";
  if (["c3", "c6", "f3", "f6"].includes(second)) return say("opening-diagonal");
  return say(first[0] === second[0] || first[1] === second[1] ? "opening-parallel" : "opening-perpendicular");
}
