// The analysed games of `kaeshi analyse --report`: the board of `kaeshi play`, with what every turn cost.
import { Board } from "./board.js";
import { endsOf } from "./board/picture.js";
import { drawCurve, markPly } from "./chart.js";
import { at, make, reveal } from "./dom.js";
import { piecesManner } from "./pieces.js";
import { heldOf, manOf } from "./report.js";
import { readerBar, setReported } from "./reader.js";
import { colourName, listed, look, say, scoreText, setStart, shortScore, turnText } from "./words.js";

const SIGNS = ["", "?!", "?", "??"];

/** @type {{ language: string | null, games: AnalysedGame[] }} */
const data = JSON.parse(at("data").textContent || "{}");
const state = { game: 0, place: 0 };
const board = new Board(at("board"));

/**
 * The position at a place of a game.
 * @param {AnalysedGame} game
 * @param {AnalysedPosition} position
 * @returns {Picture}
 */
function pictureAt(game, position) {
  const cells = position.board.split(","), [columns, rows] = game.size;
  return {
    style: look(game.game).style, columns, rows, names: game.names, cells: cells.map((cell) => manOf(game.game, cell)),
    hands: [heldOf(position.hands[0]), heldOf(position.hands[1])], toMove: position.side ? "second" : "first", number: position.turn + 1, check: null, counts: null, territory: [[], []],
  };
}

function show() {
  const game = data.games[state.game], position = game.positions[state.place], before = game.positions[state.place - 1], picture = pictureAt(game, position);
  /** @type {Overlay} */
  const overlay = { arrows: [], marks: [] };
  const point = (/** @type {string} */ turn, /** @type {string} */ kind, /** @type {string} */ label) => {
    const { from, squares } = endsOf(picture, turn);
    if (!squares.length) return;
    if (from) overlay.arrows?.push({ from, to: squares[0], kind, label });
    else for (const square of squares) overlay.marks?.push({ square, kind: "hint " + kind, text: label || "•" });
  };
  const moved = position.moved;
  if (moved && before?.turn === position.turn - 1) {
    const ends = endsOf(pictureAt(game, before), moved.t);
    overlay.last = ends.from && ends.from.length > 1 ? [ends.from, ...ends.squares] : ends.squares;
  }
  position.lines.slice(0, 3).forEach((line, index) => line.first && point(line.first, index ? "other" : "best", shortScore(game.game, line.s)));
  board.manner = { ...board.manner, pieces: piecesManner("one") };
  board.show(picture, overlay);
  const parts = [make("b", {}, moved ? `${position.turn}. ${turnText(moved)}${SIGNS[moved.g || 0]}` : position.turn ? `${position.turn}.` : say("start")), make("br")];
  if (moved?.b) parts.push(make("strong", { class: `g${moved.g}` }, say("labelled", { label: say("grade-" + moved.g), text: say("played-better", { played: turnText(moved), best: turnText(moved.b), loss: moved.b.loss || "" }) })), make("br"));
  if (position.s !== null) parts.push(make("span", {}, `${say("score")} ${scoreText(game.game, position.s, position.x)} · ${colourName(game.game, 0)} ${say("percent", { value: position.rate.toFixed(1) })}`));
  at("comment").replaceChildren(...parts);
  at("lines").replaceChildren(...position.lines.map((line) => make("p", { class: "line" }, make("b", { class: line.s > 0 ? "plus" : line.s < 0 ? "minus" : "" }, scoreText(game.game, line.s, line.x)), make("span", {}, turnText(line)))));
  const keep = position.keep || [];
  if (keep.length > 1) at("lines").append(make("p", { class: "line" }, say("keep-value", { turns: listed(keep.map((turn) => turnText(turn))) })));
  for (const item of at("moves").querySelectorAll(".now")) item.classList.remove("now");
  const here = at("moves").children[state.place];
  here?.classList.add("now");
  reveal(at("moves"), here || null);
  markPly(at("curve"), state.place, game.positions.length - 1);
  at("player").dataset.place = String(state.place);
  at("player").dataset.game = String(state.game);
  at("player").dataset.board = at("board").dataset.board || "";
}

/** @param {number} place */
function go(place) {
  state.place = Math.max(0, Math.min(data.games[state.game].positions.length - 1, place || 0));
  if (stepped) history.replaceState(null, "", `#g${state.game}p${data.games[state.game].positions[state.place].turn}`);
  show();
}

/**
 * Shows a game at a place.
 * @param {number} index
 * @param {number} [place]
 */
function openGame(index, place = 0) {
  state.game = Math.max(0, Math.min(data.games.length - 1, index || 0));
  const game = data.games[state.game];
  setStart(game.start);
  /** @type {HTMLSelectElement} */ (at("choose")).value = String(state.game);
  game.sides.forEach((name, side) => { at("who" + side).textContent = say("player-as", { player: name || colourName(game.game, side), colour: colourName(game.game, side) }); });
  const points = game.positions.flatMap((position, index) => (position.s === null ? [] : [{ ply: index, value: position.s, proven: position.x, grade: position.moved?.g, text: position.moved ? turnText(position.moved) : "" }]));
  drawCurve(at("curve"), game.game, look(game.game).scale, points, game.positions.length - 1, go);
  at("moves").replaceChildren(...game.positions.map((position, index) => {
    const { moved } = position, item = make("li", { class: `ply g${moved?.g || 0}` }, make("i", {}, `${position.turn} `), moved ? turnText(moved) + SIGNS[moved.g || 0] : say("start"));
    if (position.s !== null) item.append(make("em", {}, shortScore(game.game, position.s)));
    item.addEventListener("click", () => go(index));
    return item;
  }));
  go(place);
}

/** Whether somebody has stepped: from then on the address says where one is. */
let stepped = false;

/** Goes where the address says: `#g2p30` is the third game after thirty turns. */
function jump() {
  const wanted = /^#g(\d+)(?:p(\d+))?$/.exec(location.hash);
  if (!wanted) return false;
  const game = data.games[Number(wanted[1])], turn = Number(wanted[2] || 0);
  openGame(Number(wanted[1]), Math.max(0, game?.positions.findIndex((position) => position.turn >= turn) ?? 0));
  at("player").scrollIntoView({ block: "start" });
  return true;
}

for (const id of ["choose", "comment", "curve", "moves", "lines", "who0", "who1", "board"]) at(id).dataset.own = "true";
setReported(data.games);
readerBar(data.games[0]?.game || "", data.language, () => {
  for (const node of document.querySelectorAll("td[data-t]")) {
    const { t = "", j, w, sign } = /** @type {HTMLElement} */ (node).dataset;
    node.textContent = turnText({ t, j, w }) + (sign || "");
  }
  if (!at("player").hidden) openGame(state.game, state.place);
});
if (data.games.length) {
  for (const kind of ["pointerdown", "keydown"]) addEventListener(kind, () => { stepped = true; }, true);
  const last = () => go(data.games[state.game].positions.length - 1);
  const acts = /** @type {Record<string, () => void>} */ ({ first: () => go(0), back: () => go(state.place - 1), next: () => go(state.place + 1), last, turn: () => { board.manner.flipped = !board.manner.flipped; show(); } });
  for (const name in acts) at(name).addEventListener("click", acts[name]);
  at("choose").addEventListener("change", () => openGame(Number(/** @type {HTMLSelectElement} */ (at("choose")).value)));
  const keys = /** @type {Record<string, () => void>} */ ({ ArrowLeft: acts.back, ArrowRight: acts.next, Home: acts.first, End: last, ArrowUp: () => openGame(state.game - 1), ArrowDown: () => openGame(state.game + 1) });
  document.addEventListener("keydown", (event) => {
    const target = event.target instanceof Element ? event.target.tagName : "";
    if (!keys[event.key] || target === "SELECT" || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    keys[event.key]();
  });
  at("player").hidden = false;
  addEventListener("hashchange", jump);
  if (!jump()) openGame(0);
}
document.body.dataset.ready = "1";
