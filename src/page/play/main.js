// `kaeshi play`: one room, one board, one conversation with the program.
import { Board } from "../board.js";
import { endsOf, squareIndex } from "../board/picture.js";
import { at, make } from "../dom.js";
import { piecesManner } from "../pieces.js";
import { clockText, colourName, look, say, setLanguage, shortScore } from "../words.js";
import { Course } from "./course.js";
import { files, levelText, likes, newGame, settings, setup } from "./dialogs.js";
import { lineFrom, pathTo, showBar, showCurve, showLines, showMoves, showReview } from "./panel.js";
import { ask, listen, load, open, record, Refused } from "./talk.js";

/** @type {PlayState | null} */
let state = null;
/** When the state came. */
let since = 0;
/** @type {SearchReport | null} */
let search = null;
/** @type {SearchLine | null} */
let pointed = null;
/** Whether the board was flipped by hand. */
let turned = false;
/** @type {EventSource | null} */
let source = null;
/** The node whose better turn is shown. */
let better = -1;

const board = new Board(at("board"), { turn: (turn) => wish({ op: "turn", turn }), refused: (square) => refused(square), hover: (square) => hover(square) });
const course = new Course(wish);

/**
 * The state in force.
 * @returns {PlayState}
 */
function now() {
  if (!state) throw new Error("no room yet");
  return state;
}

/**
 * Asks the program; what it refuses is shown.
 * @param {object} what
 */
async function wish(what) {
  try {
    take(await ask(now().room, { node: now().node, ...what }));
    why("");
  } catch (error) {
    if (error instanceof Refused) why(reasonText(error.reason));
    else at("lost").hidden = false;
    render();
  }
}

/** @param {Reason} reason */
function reasonText(reason) {
  const values = { point: reason.point || "", other: reason.other || "", text: reason.text || "", why: reason.text || "" };
  return say(reason.code, values);
}

/** @param {string} text @param {boolean} [soft] */
function why(text, soft = false) {
  at("why").textContent = text;
  at("why").classList.toggle("soft", soft);
}

/**
 * A square that takes no turn was pressed.
 * @param {string} square
 */
function refused(square) {
  const { picture, choices, draft, side } = now();
  if (draft) {
    const reason = draft.refused[square];
    return why(reason ? reasonText(reason) : say("illegal"));
  }
  if (!choices.length) return now().over ? why(say("over")) : why(say(now().seats[side].kind === "engine" ? "not-your-turn" : "illegal"));
  const man = picture.cells[squareIndex(picture, square)];
  why(picture.style === "discs" && man ? say("occupied", { point: square }) : say(picture.style === "pieces" && !man ? "no-piece" : "illegal"));
}

/** @param {string | null} square */
function hover(square) {
  if (!state || !square) return;
  const effect = state.effects?.[square];
  if (effect) return why(say("reversi-flips", { square, count: effect[0], replies: effect[1] }), true);
  const reason = state.draft?.refused[square];
  if (reason && state.draft?.stones.length) why(reasonText(reason), true);
  else if (at("why").classList.contains("soft")) why("");
}

/** @param {PlayState} shown */
function take(shown) {
  if (state && state.room === shown.room && shown.v < state.v) return;
  const fresh = !state || state.nodes.length !== shown.nodes.length, moved = !state || state.node !== shown.node || state.game !== shown.game;
  state = shown;
  since = performance.now();
  at("lost").hidden = true;
  if (moved) {
    why("");
    better = -1;
    pointed = null;
  }
  keep();
  render();
  if (fresh && course.active) course.judge(shown);
}

/** What is needed to go on after a reload or a restart. */
function keep() {
  const { room, game, start, handicap, nodes, node, live, seats, clock, clocks, mode, ended, settings, impasse } = now();
  try {
    sessionStorage.setItem("kaeshi-room", room);
    localStorage.setItem("kaeshi-game", JSON.stringify({ game, start, handicap, nodes, node, live, seats, clock, clocks, mode, resigned: ended, settings, impasse }));
  } catch { /* a browser that keeps nothing */ }
}

/** Shows the state in force. */
function render() {
  const shown = now(), flipped = isFlipped();
  const theme = likes("theme", "");
  document.documentElement.dataset.theme = theme;
  board.manner = { flipped, pieces: piecesManner(likes("pieces", "one")), coordinates: likes("coordinates", true) };
  document.body.dataset.game = shown.game;
  board.answers.pick = shown.draft ? (square) => stone(square) : undefined;
  board.show(shown.picture, overlay());
  at("board").dataset.node = String(shown.node);
  at("board").dataset.position = shown.position;
  at("board").dataset.side = String(shown.side);
  at("game-name").textContent = say(shown.game) + (look(shown.game).sizes[0] < look(shown.game).sizes[1] ? ` ${shown.picture.columns}×${shown.picture.rows}` : "");
  showSeat(at("seat-top"), flipped ? 0 : 1);
  showSeat(at("seat-low"), flipped ? 1 : 0);
  showStatus();
  showDraft();
  showActs();
  showMoves(shown, go);
  showCurve(shown, go);
  showReview(shown, go);
  showSearch();
}

function isFlipped() {
  const { seats } = now(), second = seats[0].kind === "engine" && seats[1].kind === "person";
  return second !== turned;
}

/**
 * What is drawn over the position.
 * @returns {Overlay}
 */
function overlay() {
  const { picture, choices, draft, over, game, nodes, node, last, turned } = now();
  /** @type {Overlay} */
  const drawn = { choices, last, turned, arrows: [], marks: [], territory: Boolean(over) };
  const arrows = drawn.arrows || [], marks = drawn.marks || [];
  if (draft) {
    for (const stone of draft.stones) marks.push({ square: stone, kind: "draft" });
    for (const stone of draft.captured) marks.push({ square: stone, kind: "captured" });
    for (const group of draft.groups) for (const stone of group) marks.push({ square: stone, kind: "can-grow" });
    for (const point in draft.points) {
      if (draft.points[point] === "grow") marks.push({ square: point, kind: "grow" });
      if (draft.points[point] === "balance") marks.push({ square: point, kind: "balance" });
    }
  }
  /** @param {string} turn @param {string} kind @param {string} [label] */
  const show = (turn, kind, label) => {
    const { from, squares } = endsOf(picture, turn);
    if (from) arrows.push({ from, to: squares[0], kind, label });
    else squares.forEach((square, index) => marks.push({ square, kind: "hint " + kind, text: index ? "•" : label || "•" }));
  };
  if (pointed) pointed.t.slice(0, 1).forEach((turn) => show(turn, "best"));
  else if (search && search.node === node && search.lines.length && !draft?.stones.length) {
    const most = look(game).every ? Infinity : search.kind === "analysis" ? 1 : 3;
    search.lines.slice(0, most).forEach((line, index) => line.t.length && show(line.t[0], index ? "other" : "best", shortScore(game, line.s)));
  }
  const bad = nodes[better];
  if (bad?.b && bad.parent === node) {
    show(bad.t, "played");
    show(bad.b.t, "best", "!");
  }
  return drawn;
}

/** @param {HTMLElement} host @param {0 | 1} side */
function showSeat(host, side) {
  const shown = now(), seat = shown.seats[side], moving = shown.side === side && !shown.over;
  const white = look(shown.game).colours[side] === "white";
  host.className = "seat" + (moving ? " moving" : "") + (shown.over?.winner === side ? " won" : "");
  host.dataset.side = String(side);
  const name = seat.kind === "engine" ? say("engine") : seat.name || say(shown.seats[1 - side].kind === "person" ? "person" : "you");
  host.replaceChildren(make("i", { class: white ? "light" : "dark" }), make("b", {}, name), make("small", {}, seat.kind === "engine" ? levelText(seat.level) : colourName(shown.game, side)));
  if (shown.picture.counts) host.append(make("em", { class: "count" }, String(shown.picture.counts[side])));
  if (shown.thinking && shown.running === side && seat.kind === "engine") host.append(make("span", { class: "dots", "aria-label": say("thinking") }, make("i"), make("i"), make("i")));
  if (shown.clocks) host.append(make("time", { "data-clock": side }));
  tick();
}

/** The clocks run on the page, too. */
function tick() {
  if (!state?.clocks) return;
  for (const node of document.querySelectorAll("[data-clock]")) {
    const side = Number(/** @type {HTMLElement} */ (node).dataset.clock), [main, byoyomi] = state.clocks[side];
    const used = state.running === side && !state.paused && !state.over ? performance.now() - since : 0;
    const left = main - used > 0 || !byoyomi ? main - used : main + byoyomi - used;
    node.textContent = clockText(left);
    node.classList.toggle("byoyomi", main - used <= 0 && byoyomi > 0);
    node.classList.toggle("short", left < 10_000);
  }
}

function showStatus() {
  const shown = now(), host = at("status"), { over, game } = shown;
  /** @type {(Node | string)[]} */
  const parts = [];
  if (over) {
    parts.push(make("b", {}, over.winner === null ? say("drawn") : say("wins", { colour: colourName(game, over.winner) })));
    const margin = look(game).style !== "pieces" && over.cause !== "Resign" && over.cause !== "Time" ? ` · ${say("by-margin", { margin: Math.abs(over.margin) })}` : "";
    parts.push(make("span", {}, say("cause-" + over.cause) + margin));
  } else {
    const seat = shown.seats[shown.side], alone = shown.seats[1 - shown.side].kind === "engine";
    const text = shown.paused ? say("paused") : seat.kind === "engine" ? (shown.mode === "play" && shown.thinking ? say("thinking") : say("turn-of", { colour: colourName(game, shown.side) })) : alone && shown.mode === "play" ? say("your-turn") : say("turn-of", { colour: colourName(game, shown.side) });
    parts.push(make("b", {}, text));
    if (shown.picture.check !== null) parts.push(make("span", { class: "alarm" }, say("in-check")));
  }
  if (shown.note) {
    const values = { ...shown.note.values };
    if (values.side) values.colour = colourName(game, Number(values.side));
    parts.push(make("span", {}, say(shown.note.code, values)));
  }
  if (shown.mode === "play" && shown.node !== shown.live) {
    const back = make("button", { type: "button", class: "link" }, say("to-the-game"));
    back.addEventListener("click", () => go(shown.live));
    parts.push(make("span", {}, say("looking", { ply: shown.nodes[shown.node].ply, live: shown.nodes[shown.live].ply })), back);
  }
  if (shown.points && !over) parts.push(make("span", {}, say("impasse-points", { first: shown.points[0], second: shown.points[1] })));
  if (shown.claim && shown.claim.entered > 3) parts.push(make("span", {}, say("claim-count", shown.claim)));
  host.replaceChildren(...parts);
  host.dataset.over = over ? over.cause : "";
  host.dataset.winner = over ? String(over.winner) : "";
}

/** @param {string} name of a square of Sygo */
function stone(name) {
  const { draft } = now();
  if (draft && draft.stones.includes(name)) return wish({ op: "unstone", point: name });
  if (!draft?.points[name]) return refused(name);
  wish({ op: "stone", point: name });
}

function showDraft() {
  const host = at("draft"), { draft } = now();
  host.hidden = !draft;
  if (!draft) return host.replaceChildren();
  const parts = [];
  if (draft.stones.length) {
    let text = say("sygo-growing", { grown: draft.grown, left: draft.groups.length });
    if (draft.captured.length) text += " " + say("sygo-captures", { count: draft.captured.length });
    if (Object.values(draft.points).includes("balance")) text += " " + say("sygo-balance");
    parts.push(make("p", {}, text));
    if (draft.open) parts.push(make("p", { class: "wrong" }, reasonText(draft.open)));
    const done = make("button", { type: "button", class: "strong", id: "done" }, say("done")), undo = make("button", { type: "button", id: "unstone" }, say("undo-stone"));
    if (draft.open) done.setAttribute("disabled", "");
    done.addEventListener("click", () => wish({ op: "done" }));
    undo.addEventListener("click", () => wish({ op: "unstone" }));
    const clear = make("button", { type: "button", id: "clear-draft" }, say("clear"));
    clear.addEventListener("click", () => wish({ op: "clear" }));
    parts.push(make("div", { class: "buttons" }, done, undo, clear));
  } else parts.push(make("p", { class: "soft" }, say("sygo-choose")));
  host.replaceChildren(...parts);
}

/** @param {string} id @param {string} key @param {() => void} act @param {string} [kind] */
function button(id, key, act, kind = "") {
  const node = make("button", { type: "button", id, class: kind }, say(key));
  node.addEventListener("click", act);
  return node;
}

function showActs() {
  const shown = now(), acts = [];
  const person = shown.seats.some((seat) => seat.kind === "person");
  if (shown.may.pass) acts.push(button("do-pass", "do-pass", () => wish({ op: "turn", turn: "pass" }), "strong"));
  if (shown.may.claim) acts.push(button("do-claim", "claim", () => wish({ op: "claim" }), "strong"));
  if (shown.may.count) acts.push(button("do-count", "count-impasse", () => wish({ op: "count" })));
  if (shown.may.replay) acts.push(button("do-replay", "replay", () => wish({ op: "replay" }), "strong"));
  if (shown.mode === "play" && !shown.over) {
    if (person) acts.push(button("take-back", "take-back", () => wish({ op: "take-back" })), button("do-hint", "hint", () => wish({ op: "hint" })), button("do-resign", "resign", () => { if (confirm(say("resign?"))) wish({ op: "resign" }); }));
    acts.push(button("do-pause", shown.paused ? "resume" : "pause", () => wish({ op: shown.paused ? "resume" : "pause" })));
    for (const node of acts) if (node.id === "take-back" && !shown.may.takeBack || node.id === "do-resign" && !shown.may.resign) node.setAttribute("disabled", "");
  } else if (shown.over || shown.mode === "study") {
    acts.push(button("again", "new-game", () => newGame(shown, wish)));
    if (shown.nodes.length > 2) acts.push(button("do-review", shown.review && !shown.review.sides ? "stop" : "review", () => wish({ op: shown.review && !shown.review.sides ? "review-stop" : "review" }), shown.review ? "" : "strong"));
    if (shown.mode === "study" && !shown.over && shown.live === shown.node) acts.push(button("do-resume", "resume", () => wish({ op: "resume" })));
  }
  if (look(shown.game).drafts && !course.active) acts.push(button("do-course", "course", () => course.begin(0)));
  const node = shown.nodes[shown.node];
  if (node.b) acts.push(button("do-better", "show-better", () => { better = shown.node; go(node.parent); }));
  const isMain = shown.node > 0 && shown.nodes.findIndex((other, index) => index > 0 && other.parent === node.parent) === shown.node;
  if (shown.mode === "study" && shown.node > 0 && !isMain) acts.push(button("do-main", "main-line", () => wish({ op: "main-line" })), button("do-delete", "delete-line", () => wish({ op: "delete" })));
  at("acts").replaceChildren(...acts);
  const engine = [button("do-analyse", shown.settings.analysis ? "engine-off" : "analyse", () => wish({ op: "settings", analysis: !shown.settings.analysis, mistakes: shown.settings.mistakes }))];
  if (look(shown.game).mates) engine.push(button("do-mate", "mate-search", () => wish({ op: "mate" })));
  else engine.push(button("do-solve", "solve", () => wish({ op: "solve" })));
  at("engine-acts").replaceChildren(...engine);
}

function showSearch() {
  const shown = now();
  const here = search && search.node === shown.node ? search : null;
  const value = here?.lines.length && !here.mate ? here.lines[0].s : shown.settings.analysis || shown.over || shown.mode === "study" ? shown.nodes[shown.node].s : undefined;
  showBar(shown, value, isFlipped());
  showLines(shown, search, (line) => line.t.length && wish({ op: "try", turns: line.t.slice(0, 1) }), (line) => {
    pointed = line;
    board.show(shown.picture, overlay());
  });
}

/** @param {number} node */
function go(node) {
  if (node !== now().node) wish({ op: "go", to: node });
}

/**
 * Steps in the line that is shown.
 * @param {number} by
 */
function step(by) {
  const { nodes, node } = now(), line = [0, ...pathTo(nodes, node)], ahead = lineFrom(nodes, node);
  if (by === -Infinity) return go(0);
  if (by === Infinity) return go(ahead[ahead.length - 1] ?? node);
  go(by < 0 ? line[line.length - 2] ?? 0 : ahead[0] ?? node);
}

/** @param {string} name @param {Blob} blob */
function download(name, blob) {
  const link = /** @type {HTMLAnchorElement} */ (make("a", { download: name, href: URL.createObjectURL(blob) }));
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 5000);
}

/** @param {string} kind */
function savePicture(kind) {
  const text = board.asSvg(), name = `${now().game}-${now().nodes[now().node].ply}`;
  const svg = new Blob([text], { type: "image/svg+xml" });
  if (kind === "svg") return download(name + ".svg", svg);
  const image = new Image(), address = URL.createObjectURL(svg);
  image.onload = () => {
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [image.naturalWidth * 2, image.naturalHeight * 2];
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => { if (blob) download(name + ".png", blob); });
    URL.revokeObjectURL(address);
  };
  image.src = address;
}

/**
 * What is refused is said in words.
 * @template T
 * @param {Promise<T>} asked
 * @returns {Promise<T>}
 */
const explained = (asked) => asked.catch((error) => { throw error instanceof Refused ? new Error(reasonText(error.reason)) : error; });

/**
 * Asks, and lets what is refused be shown by whoever asked.
 * @param {object} what
 */
async function insist(what) {
  take(await explained(ask(now().room, { node: now().node, ...what })));
}

function openFiles() {
  files(now(), {
    load: async (text) => take(await explained(load(now().room, text))),
    save: async (form) => {
      const { name, blob } = await explained(record(now().room, form));
      download(name, blob);
    },
    setup: () => setup(now(), board.manner, insist),
    picture: savePicture,
  });
}

/** Enters a room, and hears what happens there. */
async function enter() {
  let room = null, saved = null;
  try {
    room = sessionStorage.getItem("kaeshi-room");
    saved = JSON.parse(localStorage.getItem("kaeshi-game") || "null");
  } catch { /* nothing was kept */ }
  take(await open({ room, saved }));
  source?.close();
  source = listen(now().room, {
    state: take,
    search: (shown) => { search = shown; if (shown.node === now().node) { showSearch(); board.show(now().picture, overlay()); } },
    lost: () => { at("lost").hidden = false; if (source?.readyState === EventSource.CLOSED) setTimeout(() => enter().catch(() => {}), 1000); },
    back: () => { at("lost").hidden = true; },
  });
}

setLanguage(new URLSearchParams(location.search).get("language") || likes("language", "") || null);
at("do-new").addEventListener("click", () => newGame(now(), (wanted) => { course.stop(); turned = false; wish(wanted); }));
at("do-files").addEventListener("click", openFiles);
at("do-settings").addEventListener("click", () => settings(() => { course.show(); render(); }, now(), wish));
at("first").addEventListener("click", () => step(-Infinity));
at("back").addEventListener("click", () => step(-1));
at("next").addEventListener("click", () => step(1));
at("last").addEventListener("click", () => step(Infinity));
at("turn").addEventListener("click", () => { turned = !turned; render(); });
document.addEventListener("keydown", (event) => {
  const target = /** @type {HTMLElement} */ (event.target);
  if (document.querySelector("dialog[open]") || ["INPUT", "SELECT", "TEXTAREA"].includes(target.tagName) || event.ctrlKey || event.metaKey || event.altKey) return;
  const keys = /** @type {Record<string, () => void>} */ ({ ArrowLeft: () => step(-1), ArrowRight: () => step(1), Home: () => step(-Infinity), End: () => step(Infinity), f: () => at("turn").click(), h: () => document.getElementById("do-hint")?.click(), Backspace: () => document.getElementById("unstone")?.click() });
  if (!keys[event.key]) return;
  event.preventDefault();
  keys[event.key]();
});
setInterval(tick, 100);
addEventListener("resize", () => { at("curve").dataset.key = ""; if (state) showCurve(state, go); });
enter().then(() => { document.body.dataset.ready = "1"; }, (error) => {
  at("lost").hidden = false;
  console.warn(error);
});
