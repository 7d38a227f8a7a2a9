// Finished games of a match: the same board as in `kaeshi play`, stepped through.
import { Board } from "./board.js";
import { drawCurve, markPly } from "./chart.js";
import { at, hasKanji, make, reveal } from "./dom.js";
import { piecesManner } from "./pieces.js";
import { heldOf, manOf } from "./report.js";
import { term } from "./reader.js";
import { clockText, look, say, scoreText, setStart, short, turnText } from "./words.js";

/** Milliseconds between two turns while a game plays by itself. */
const PACE = 700;

/** @type {ReportData} */
let data = { game: "", size: [0, 0], names: [], colours: ["", ""], games: [] };
const state = { game: 0, ply: 0, timer: 0, letters: !hasKanji() };
/** @type {Board | null} */
let view = null;

/**
 * The position after this many plies, and the squares of the last one.
 * @param {ReportGame} game
 * @param {number} ply
 * @returns {{ picture: Picture, last: string[], turned: string[] }}
 */
function position(game, ply) {
  const cells = game.board.slice(), { names, size: [columns, rows] } = data, { style } = look(data.game), pieces = style === "pieces";
  let hands = game.hands;
  /** @type {string[]} */
  let last = [];
  /** @type {string[]} */
  let turned = [];
  for (const turn of game.plies.slice(0, ply)) {
    const emptied = turn.d.filter(([, cell]) => !cell), put = turn.d.filter(([index, cell]) => cell && (pieces || !cells[index]));
    last = [...emptied, ...put].map(([index]) => names[index]);
    turned = pieces ? [] : turn.d.filter(([index, cell]) => cell && cells[index]).map(([index]) => names[index]);
    for (const [index, cell] of turn.d) cells[index] = cell;
    hands = turn.h || hands;
  }
  const mover = game.plies[ply]?.by ?? 1 - (game.plies[ply - 1]?.by ?? 1);
  const picture = {
    style,
    columns, rows, names, cells: cells.map((cell) => manOf(data.game, cell)), hands: /** @type {Picture["hands"]} */ (hands.map(heldOf)),
    toMove: /** @type {"first" | "second"} */ (mover ? "second" : "first"), number: ply + 1, check: null, counts: null, territory: /** @type {[number[], number[]]} */ ([[], []]),
  };
  return { picture, last, turned };
}

/**
 * A turn as it is written here.
 * @param {ReportPly} turn
 */
function named(turn) {
  const text = turnText(turn);
  return turn.j?.replaceAll("\u3000", "") === text ? "▲△"[turn.by] + text : text;
}

function show() {
  const game = data.games[state.game];
  setStart(game.start);
  const { picture, last, turned } = position(game, state.ply);
  if (!view) return;
  view.manner = { ...view.manner, pieces: state.letters ? "letters" : piecesManner("one") };
  view.show(picture, { last, turned });
  const turn = game.plies[state.ply - 1], next = game.plies[state.ply], ended = state.ply === game.plies.length;
  const parts = [make("b", {}, turn ? `${state.ply}. ${named(turn)}` : say("start")), make("br")];
  if (turn) {
    const facts = [
      turn.s === undefined ? "" : `${say("score")} ${scoreText(data.game, turn.s)}`, turn.n === undefined ? "" : `${say("depth")} ${turn.n}`,
      turn.k === undefined ? "" : `${short(turn.k)} ${say("nodes")}`, turn.u === undefined ? "" : say("seconds", { seconds: (turn.u / 1000).toFixed(2) }),
      turn.r === undefined ? "" : say("time-left", { time: clockText(turn.r) }),
    ].filter(Boolean);
    parts.push(make("span", {}, facts.length ? facts.join(" · ") : state.ply <= game.opening ? say("opening") : ""));
    if (ended) parts.push(make("span", {}, ` — ${game.result}, ${term(game.cause)}`));
  } else parts.push(make("span", {}, game.opening ? say("openings-follow", { count: game.opening }) : say("by", { result: game.result, cause: term(game.cause) })));
  at("comment").replaceChildren(...parts);
  for (const side of [0, 1]) {
    const who = at("who" + (view.manner.flipped ? 1 - side : side)), dark = data.colours[side] === "Black", owner = side ? "second" : "first";
    const count = picture.style === "pieces" ? "" : String(picture.cells.filter((man) => man?.side === owner).length);
    who.replaceChildren(make("i", { class: dark ? "dark" : "light" }), game.names[side], make("em", {}, count));
    who.classList.toggle("moving", !ended && next?.by === side);
  }
  const list = at("moves");
  list.querySelector(".now")?.classList.remove("now");
  const here = list.children[state.ply - 1];
  here?.classList.add("now");
  reveal(list, here || null);
  markPly(at("curve"), state.ply, game.plies.length);
  at("player").dataset.ply = String(state.ply);
  at("player").dataset.board = at("board").dataset.board || "";
}

/** Draws what stays the same while one steps through a game. */
function list() {
  const game = data.games[state.game];
  setStart(game.start);
  const points = game.plies.flatMap((turn, index) => (turn.s === undefined ? [] : [{ ply: index + 1, value: turn.s }]));
  drawCurve(at("curve"), data.game, look(data.game).scale, points, game.plies.length, go);
  at("moves").replaceChildren(...game.plies.map((turn, index) => {
    const item = make("li", { class: "ply" + (index < game.opening ? " opening" : ""), title: turn.t }, make("i", {}, `${index + 1} `), named(turn));
    item.addEventListener("click", () => go(index + 1));
    return item;
  }));
}

/**
 * Shows a game, at its end if no ply is wanted.
 * @param {number} index
 * @param {number} [ply]
 */
function openGame(index, ply) {
  state.game = Math.max(0, Math.min(data.games.length - 1, index || 0));
  const game = data.games[state.game];
  /** @type {HTMLSelectElement} */ (at("choose")).value = String(state.game);
  list();
  at("detail").textContent = [game.detail, game.broken].filter(Boolean).join(" · ");
  at("text").hidden = !game.record;
  at("record").textContent = game.record;
  go(ply === undefined ? game.plies.length : ply);
}

/** @param {number} ply */
function go(ply) {
  state.ply = Math.max(0, Math.min(data.games[state.game].plies.length, ply || 0));
  if (stepped) history.replaceState(null, "", `#g${state.game}p${state.ply}`);
  show();
}

function stop() {
  clearInterval(state.timer);
  state.timer = 0;
  at("play").setAttribute("aria-pressed", "false");
}

function play() {
  if (state.timer) return stop();
  if (state.ply === data.games[state.game].plies.length) go(0);
  at("play").setAttribute("aria-pressed", "true");
  state.timer = setInterval(() => (state.ply >= data.games[state.game].plies.length ? stop() : go(state.ply + 1)), PACE);
}

/** Goes where the address says: `#g3p20` is the fourth game after twenty plies. */
function jump() {
  const wanted = /^#g(\d+)(?:p(\d+))?$/.exec(location.hash);
  if (wanted) openGame(Number(wanted[1]), wanted[2] === undefined ? undefined : Number(wanted[2]));
  if (wanted) at("player").scrollIntoView({ block: "center" });
  return Boolean(wanted);
}

/** Whether somebody has stepped: from then on the address says where one is. */
let stepped = false;

/** Gives the buttons and keys their work. */
function begin() {
  for (const kind of ["pointerdown", "keydown"]) at("player").addEventListener(kind, () => { stepped = true; });
  const board = new Board(at("board"));
  view = board;
  // What is drawn here is in the reader's language already.
  for (const id of ["choose", "comment", "curve", "moves", "detail", "who0", "who1", "board"]) at(id).dataset.own = "true";
  const last = () => go(data.games[state.game].plies.length);
  const redraw = () => { list(); show(); };
  const acts = /** @type {Record<string, () => void>} */ ({
    first: () => go(0), back: () => go(state.ply - 1), next: () => go(state.ply + 1), last, play,
    turn: () => { board.manner.flipped = !board.manner.flipped; show(); },
    letters: () => { state.letters = !state.letters; redraw(); },
  });
  for (const name in acts) at(name).addEventListener("click", () => { if (name !== "play") stop(); acts[name](); });
  at("letters").hidden = look(data.game).style !== "pieces";
  at("choose").addEventListener("change", () => { stop(); openGame(Number(/** @type {HTMLSelectElement} */ (at("choose")).value)); });
  const keys = /** @type {Record<string, () => void>} */ ({ ArrowLeft: acts.back, ArrowRight: acts.next, Home: acts.first, End: last, ArrowUp: () => openGame(state.game - 1), ArrowDown: () => openGame(state.game + 1) });
  at("player").addEventListener("keydown", (event) => {
    if (!keys[event.key] || /** @type {HTMLElement} */ (event.target).tagName === "SELECT") return;
    event.preventDefault();
    stop();
    keys[event.key]();
  });
  at("player").hidden = false;
  addEventListener("hashchange", jump);
}

/** The list from which one is chosen. */
function listGames() {
  const text = (/** @type {ReportGame} */ { title, cause }) => (title.includes(cause) ? title.replace(cause, () => term(cause)) : title);
  at("choose").replaceChildren(...data.games.map((game, index) => make("option", { value: index }, text(game))));
}

/** Draws everything again, in another language or notation. */
export function redrawGames() {
  if (!view) return;
  listGames();
  /** @type {HTMLSelectElement} */ (at("choose")).value = String(state.game);
  list();
  show();
}

/**
 * Shows these games. Where others were shown before, the game that is looked at stays.
 * @param {ReportData} games
 */
export function showGames(games) {
  const before = data.games[state.game]?.id;
  data = games;
  if (!data.games.length) return;
  listGames();
  const again = data.games.findIndex((game) => game.id === before);
  if (view && again >= 0) {
    state.game = again;
    /** @type {HTMLSelectElement} */ (at("choose")).value = String(again);
    return;
  }
  if (!view) begin();
  if (!jump()) openGame(0);
}
