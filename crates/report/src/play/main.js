// `kaeshi play`: one room, one board, one conversation with the program.
import { Board } from "../board.js";
import { endsOf, squareIndex } from "../board/picture.js";
import { at, make, update } from "../dom.js";
import { piecesManner } from "../pieces.js";
import { clockText, colourName, isHandicap, look, placeText, say, setLanguage, setNotation, setStart, shortScore, tongue, turnText, valueFor } from "../words.js";
import { expect } from "./ahead.js";
import { keepChapters, keptChapters } from "./chapters.js";
import { Course } from "./course.js";
import { files, levelText, like, likes, newGame, settings, setup } from "./dialogs.js";
import { Explorer } from "./explorer.js";
import { formation, opening } from "./names.js";
import { Lesson } from "./lesson.js";
import { leave, myGames, pickGame } from "./library.js";
import { betterText, lineFrom, pathTo, showBar, showComment, showCurve, showLines, showMoves, showReview } from "./panel.js";
import { setSounds, sound, sounds } from "./sound.js";
import { ask, changeGame, listen, load, open, record, Refused } from "./talk.js";
import { Tryout } from "./tryout.js";

/** @typedef {import("./chapters.js").Chapters} Chapters */
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
/** A move of shogi for when it is one's turn: where it begins and ends. */
let planned = { from: "", to: "" };
/**
 * What the board shows until the program has answered a turn.
 * @type {import("./ahead.js").Expected | null}
 */
let ahead = null;
/** The node that the board showed last: what is drawn anew for the same one does not glide. */
let drawn = -1;
/** Whether the territory is marked on the board. */
let counting = false;
/** When a hint, a mate or an exact end was asked for. */
let askedSince = 0;
/** The node whose better turn is shown. */
let better = -1;

const board = new Board(at("board"), { turn: (turn) => { if (!lesson.answer(now(), turn)) wish({ op: "turn", turn }); else showBoard(); }, refused: (square, from) => refused(square, from), hover: (square) => hover(square), step: (by) => step(by) });
const course = new Course(wish);
/** @type {import("./practice.js").Practice | null} */
let practice = null;
const explorer = new Explorer((turn) => tryout.begin(now(), [turn]).catch(fail));
const lesson = new Lesson({ go: (node) => go(node), changed: () => render() });
const tryout = new Tryout({ changed: () => render(), keep: (turns) => wish({ op: "try", turns }) });

/**
 * The state in force.
 * @returns {PlayState}
 */
function now() {
  if (!state) throw new Error("no room yet");
  return state;
}

/**
 * Asks the program; what it refuses is shown. The board shows a turn at once, and the state that comes back in any case.
 * @param {object} what
 */
async function wish(what) {
  const expected = tryout.active ? null : expect(now(), ahead, what);
  if (expected) {
    ahead = expected;
    showBoard();
  }
  const answered = () => { if (expected && ahead === expected) ahead = null; };
  try {
    const shown = await ask(now().room, { node: now().node, ...what });
    answered();
    take(shown);
    why("");
  } catch (error) {
    answered();
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
 * While Kaeshi thinks, a move of shogi can be planned: a piece and then its target. It is made as soon as it is legal.
 * @param {string} square
 */
function planMove(square) {
  const { seats, mode, over, paused, node, live } = now(), picture = ahead?.picture || now().picture, side = ahead ? 1 - now().side : now().side;
  const own = seats[1 - side].kind === "person" ? 1 - side : -1;
  if (picture.style !== "pieces" || mode !== "play" || over || paused || node !== live || seats[side].kind !== "engine" || own < 0) return false;
  const index = squareIndex(picture, square), man = index < 0 ? null : picture.cells[index], mine = man ? (man.side === "second") === (own === 1) : square.length === 1 && (square === square.toLowerCase()) === (own === 1);
  if (planned.from && !planned.to && square.length > 1 && square !== planned.from) planned.to = square;
  else planned = { from: mine && planned.from !== square ? square : "", to: "" };
  why(planned.to ? say("planned") : "", true);
  showBoard();
  return true;
}

/** Makes the planned move, if it is legal now. */
function makePlanned() {
  const { from, to } = planned, choice = now().choices.find((choice) => choice.from === from && choice.to === to);
  planned = { from: "", to: "" };
  // Where a piece may promote, it does: that is nearly always better.
  if (choice) wish({ op: "turn", turn: choice.turns.find((turn) => turn.endsWith("+")) || choice.turns[0] });
}

/**
 * A square that takes no turn was pressed.
 * @param {string} square
 * @param {string | null} [from] where the turn began
 */
function refused(square, from = null) {
  const { draft, over, paused, mode, node, live, choices } = now();
  if (tryout.active) return why(say("is-tryout"));
  // Until the program has answered a turn there is nothing to say about another one.
  if (planMove(square) || ahead) return;
  const reason = draft?.refused[square];
  if (reason) return why(reasonText(reason));
  if (draft || choices.length) return why(draft ? say("illegal") : say(refusal(now(), square, from), { point: placeText(now().game, square) }));
  why(say(over ? "over" : paused ? "is-paused" : mode === "play" && node !== live ? "looking-back" : "not-your-turn"));
}

/**
 * Why a square takes no turn, as a key.
 * @param {PlayState} shown
 * @param {string} square
 * @param {string | null} from where the turn began: a square, or a letter of the hand
 */
function refusal({ picture, side }, square, from) {
  const man = picture.cells[squareIndex(picture, square)];
  if (picture.style !== "pieces") return man ? "occupied" : "turns-nothing";
  if (!from) return man ? ((man.side === "second") === (side === 1) ? "cannot-move" : "their-piece") : "no-piece";
  if (from.length > 1) return picture.check === null ? "no-such-move" : "still-in-check";
  if (man) return "occupied";
  const own = side ? "second" : "first", pawn = (/** @type {string} */ name) => { const cell = picture.cells[squareIndex(picture, name)]; return cell?.kind === "P" && cell.side === own; };
  const rank = square.charCodeAt(1) - 97, ahead = side ? 8 - rank : rank, letter = from.toUpperCase();
  if (letter === "P" && [..."abcdefghi"].some((row) => pawn(square[0] + row))) return "nifu";
  if ((letter === "P" || letter === "L") && ahead === 0 || letter === "N" && ahead < 2) return "no-way-on";
  if (picture.check !== null) return "still-in-check";
  const front = picture.cells[squareIndex(picture, square[0] + String.fromCharCode(97 + rank + (side ? 1 : -1)))];
  return letter === "P" && front?.kind === "K" && front.side !== own ? "drop-mate" : "no-such-move";
}

/** @param {string | null} square */
function hover(square) {
  if (!state || !square || ahead) return;
  const effect = state.effects?.[square];
  if (effect) return why(say("reversi-flips", { square, count: effect[0], replies: effect[1] }), true);
  const reason = state.draft?.refused[square];
  if (reason && state.draft?.stones.length) why(reasonText(reason), true);
  else if (at("why").classList.contains("soft")) why("");
}

/** @param {PlayState} shown */
function take(shown) {
  // A newer state has come before: what was expected instead of it is drawn no longer.
  if (state && state.room === shown.room && shown.v < state.v) return render();
  const entered = state?.room !== shown.room;
  const fresh = !state || entered || state.nodes.length !== shown.nodes.length, moved = !state || entered || state.node !== shown.node;
  if (state && !entered && shown.live !== state.live && shown.nodes.length > state.nodes.length) played(state, shown);
  if (moved) ahead = null;
  state = shown;
  setStart(shown.start);
  since = performance.now();
  at("lost").hidden = true;
  if (moved) {
    why("");
    pointed = null;
    tryout.stop();
    if (entered || shown.nodes[better]?.parent !== shown.node) better = -1;
    if (entered) lesson.nodes = [];
  }
  if (entered) follow();
  render();
  if (fresh && course.active) course.judge(shown);
  if (fresh) practice?.judge(shown);
  if (entered || shown.over || shown.mode !== "play") planned = { from: "", to: "" };
  else if (planned.to && shown.choices.length && shown.node === shown.live) makePlanned();
}

/**
 * A turn was made: it sounds, and one that a person at this page did not make is announced to screen readers.
 * @param {PlayState} before
 * @param {PlayState} after
 */
function played(before, after) {
  const made = after.nodes[after.live], { picture } = after;
  const men = (/** @type {Picture} */ shown) => shown.cells.filter(Boolean).length;
  sound(picture.check !== null ? "check" : men(picture) < men(before.picture) || after.turned.length ? "capture" : "move");
  const seat = after.seats[made.by], player = seat.kind === "engine" ? say("engine") : colourName(after.game, made.by);
  at("announce").textContent = say("played-by", { player, turn: turnText(made) });
}

/** Hears what happens in the room from now on. */
function follow() {
  const { room } = now();
  search = null;
  try {
    sessionStorage.setItem("kaeshi-room", room);
  } catch { /* a browser that keeps nothing: the program still does */ }
  source?.close();
  source = listen(room, {
    state: (shown) => { if (shown.room === now().room) take(shown); },
    search: (shown) => { search = shown; if (shown.node === now().node) { showSearch(); showBoard(); } },
    lost: () => { at("lost").hidden = false; if (source?.readyState === EventSource.CLOSED) setTimeout(() => enter().catch(() => {}), 1000); },
    back: () => { at("lost").hidden = true; },
  });
}

/**
 * Whether the game that is shown may be replaced: a running one is asked about first.
 * @param {() => Promise<boolean>} replace whether something else is shown now
 */
async function replaced(replace) {
  const { mode, over, nodes, room } = now(), runs = mode === "play" && !over && nodes.length > 1 && !isGuided();
  const answer = runs ? await leave(now(), () => saveAs(look(now().game).forms[0])) : "keep";
  if (!answer || !await replace()) return false;
  if (answer === "discard") await changeGame(room, { op: "delete" }).catch((error) => console.warn(error));
  return true;
}

/** Whether a lesson or a problem is shown, which is no game to be kept. */
const isGuided = () => course.active || Boolean(practice?.active);

/** Ends lessons and problems, as something else is shown. */
function stopGuides() {
  course.stop();
  practice?.stop();
}

/** @param {string} game */
const help = (game) => import("./help.js").then((module) => module.help(game)).catch(fail);

/** Asks for problems of a kind and shows the first one. */
async function openPractice() {
  const { choosePractice, Practice } = await import("./practice.js");
  practice ??= new Practice({ ask: wish, solution: showSolution, list: () => openPractice().catch(fail) });
  const chosen = practice;
  await choosePractice(now().game, (game, grade) => replaced(async () => { course.stop(); await chosen.begin(game, grade); return true; }));
}

/**
 * Shows the solution of a problem from its beginning.
 * @param {string[]} turns
 */
async function showSolution(turns) {
  if (now().node > 0) await wish({ op: "go", to: 0 });
  await tryout.begin(now(), turns).catch(fail);
}

/** Shows the state in force. */
function render() {
  const shown = now(), flipped = isFlipped(), shogi = look(shown.game).style === "pieces";
  chooseValues();
  const theme = likes("theme", "");
  document.documentElement.dataset.theme = theme;
  document.documentElement.dataset.ground = likes("board", "plain");
  // Only in shogi does the board turn with its player.
  setNotation(likes("notation", ""));
  board.manner = { flipped: flipped && shogi, pieces: piecesManner(likes("pieces", "one")), coordinates: likes("coordinates", true) };
  document.body.dataset.game = shown.game;
  showBoard();
  tryout.show();
  lesson.show(shown);
  showBetter();
  at("unkept").hidden = !shown.unkept;
  at("unkept").textContent = shown.unkept ? say("unkept", { text: shown.unkept }) : "";
  at("board").dataset.node = String(shown.node);
  at("board").dataset.position = shown.position;
  at("board").dataset.side = String(shown.side);
  at("game-name").textContent = [say(shown.game), opening(shown)].filter(Boolean).join(" · ") + (look(shown.game).sizes[0] < look(shown.game).sizes[1] ? ` ${shown.picture.columns}×${shown.picture.rows}` : "");
  showSeat(at("seat-top"), flipped ? 0 : 1);
  showSeat(at("seat-low"), flipped ? 1 : 0);
  at("turn").hidden = !shogi;
  at("sound").setAttribute("aria-pressed", String(sounds()));
  showStatus();
  showDraft();
  showActs();
  showMoves(shown, go);
  showComment(shown, (text) => wish({ op: "comment", text }));
  showCurve(shown, go);
  showReview(shown, (node) => { go(node); if (innerWidth <= 900) at("board").scrollIntoView({ block: "nearest" }); });
  showSearch();
  showChapters();
  explorer.show(shown);
}

/** The position, or that of a try-out. */
function showBoard() {
  const shown = now();
  if (tryout.active) {
    board.answers.pick = undefined;
    return board.show(tryout.frame.picture, { choices: [], last: tryout.frame.last, turned: tryout.frame.turned });
  }
  board.answers.pick = shown.draft ? (square) => stone(square) : undefined;
  const over = { ...overlay(), still: shown.node === drawn };
  drawn = shown.node;
  if (!ahead) return board.show(shown.picture, over);
  const { picture, last, turned, done } = ahead;
  board.show(picture, { ...over, last, turned, choices: [], arrows: [], marks: done ? [] : over.marks, still: true });
}

/** What was better than the turn that one came from, and the way back to it. */
function showBetter() {
  const host = at("better"), node = now().nodes[better];
  host.hidden = !node?.b || tryout.active;
  if (host.hidden) return host.replaceChildren();
  const back = make("button", { type: "button", id: "better-back", class: "strong" }, say("back-to-turn", { ply: node.ply }));
  back.onclick = () => go(better);
  const line = button("better-line", "show-line", () => tryout.begin(now(), [node.b?.t || ""]).catch(fail));
  update(host, make("p", {}, betterText(node)), make("div", { class: "buttons" }, back, line));
}

/** @param {unknown} error */
function fail(error) {
  if (error instanceof Refused) why(reasonText(error.reason));
  else at("lost").hidden = false;
}

/** Whether the second side sits below. */
function isFlipped() {
  const { seats } = now(), second = seats[0].kind === "engine" && seats[1].kind === "person";
  return second !== turned;
}

/** Sees values from the side of the person in a game, of two persons from that of the one to move, and from the chosen side otherwise. */
function chooseValues() {
  const { seats, mode, game, over, side } = now(), persons = seats.filter((seat) => seat.kind === "person").length;
  const own = mode !== "play" || over || !persons ? null : persons === 2 ? side : seats[0].kind === "person" ? 0 : 1;
  valueFor(own ?? likes("value-side", 0));
  if (own !== null) return update(at("values"), make("span", {}, say(persons === 2 ? "values-for" : "values-yours", { colour: colourName(game, own) })));
  update(at("values"), make("select", { id: "value-side", "aria-label": say("values") }, ...[0, 1].map((side) => make("option", { value: side }, say("values-for", { colour: colourName(game, side) })))));
  const select = /** @type {HTMLSelectElement} */ (at("value-side"));
  select.value = String(likes("value-side", 0));
  select.onchange = () => { like("value-side", Number(select.value)); render(); };
}

/**
 * What is drawn over the position.
 * @returns {Overlay}
 */
function overlay() {
  const { picture, choices, draft, over, game, nodes, node, last, turned } = now();
  /** @type {Overlay} */
  const drawn = { choices, last, turned, arrows: [], marks: [], territory: Boolean(over) || counting };
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
  if (lesson.active) search = null;
  if (pointed) pointed.t.slice(0, 1).forEach((turn) => show(turn, "best"));
  else if (search && search.node === node && search.lines.length && !draft?.stones.length) {
    const most = look(game).every ? Infinity : search.kind === "analysis" ? 1 : 3;
    search.lines.slice(0, most).forEach((line, index) => line.t.length && show(line.t[0], index ? "other" : "best", shortScore(game, line.s)));
  }
  const asked = lesson.asked(now());
  if (asked?.b) {
    show(asked.t, "played");
    if (lesson.stage === "found" || lesson.stage === "shown") show(asked.b.t, "best");
  }
  for (const square of [planned.from, planned.to]) if (square.length > 1) marks.push({ square, kind: "planned" });
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
  const parts = [make("i", { class: white ? "light" : "dark" }), make("b", {}, name), make("small", {}, seat.kind === "engine" ? levelText(seat.level) : colourName(shown.game, side))];
  const { counts, cells, style } = shown.picture;
  if (counts) {
    const stones = cells.filter((man) => man?.side === (side ? "second" : "first")).length, sum = say("score-of", { stones, territory: counts[side] - stones });
    parts.push(make("em", { class: "count", "data-count": side, title: style === "stones" ? sum : "" }, ...(style === "stones" ? [make("small", {}, `${sum} = `), String(counts[side])] : [String(counts[side])])));
  }
  const formed = formation(shown.picture, side);
  if (formed) parts.push(make("small", { class: "formed" }, formed));
  if (shown.thinking && shown.running === side && seat.kind === "engine") parts.push(make("span", { class: "dots", "aria-label": say("thinking") }, make("i"), make("i"), make("i")));
  if (shown.clocks) parts.push(make("time", { "data-clock": side }));
  update(host, ...parts);
  tick();
}

/** The clocks run on the page, too. */
function tick() {
  const searching = document.getElementById("asked-for");
  if (searching && state?.asked) searching.textContent = say("searching", { seconds: Math.floor((performance.now() - askedSince) / 1000) });
  if (!state?.clocks) return;
  for (const node of document.querySelectorAll("[data-clock]")) {
    const side = Number(/** @type {HTMLElement} */ (node).dataset.clock), [main, byoyomi] = state.clocks[side];
    const used = state.ticking === side ? performance.now() - since : 0;
    const left = main - used > 0 || !byoyomi ? main - used : main + byoyomi - used;
    node.textContent = clockText(left);
    node.classList.toggle("byoyomi", main - used <= 0 && byoyomi > 0);
    const short = left < 10_000 && state.ticking === side;
    if (short && !node.classList.contains("short")) sound("time");
    node.classList.toggle("short", short);
  }
}

/**
 * The sides of the shown game, as values of a text.
 * @param {string} game
 * @returns {Record<string, string | number>}
 */
const sideNames = (game) => ({ firstSide: colourName(game, 0), secondSide: colourName(game, 1) });

function showStatus() {
  const shown = now(), host = at("status"), { over, game } = shown;
  /** @type {(Node | string)[]} */
  const parts = [];
  if (over) {
    parts.push(make("b", {}, over.winner === null ? say("drawn") : say("wins", { colour: colourName(game, over.winner) })));
    const margin = look(game).style !== "pieces" && over.margin ? ` · ${say("by-margin", { margin: Math.abs(over.margin) })}` : "";
    parts.push(make("span", {}, say("cause-" + over.cause) + margin));
  } else {
    const seat = shown.seats[shown.side], alone = shown.seats[1 - shown.side].kind === "engine";
    const text = shown.paused ? say("paused") : seat.kind === "engine" ? (shown.mode === "play" && shown.thinking ? say("thinking") : say("turn-of", { colour: colourName(game, shown.side) })) : alone && shown.mode === "play" ? say("your-turn") : say("turn-of", { colour: colourName(game, shown.side) });
    parts.push(make("b", {}, text));
    if (shown.picture.check !== null) parts.push(make("span", { class: "alarm" }, say("in-check")));
  }
  if (shown.note) {
    const values = { ...sideNames(game), ...shown.note.values };
    if (values.side) values.colour = colourName(game, Number(values.side));
    parts.push(make("span", {}, say(shown.note.code, values)));
  }
  if (shown.mode === "play" && shown.node !== shown.live) {
    const back = make("button", { type: "button", class: "link" }, say("to-the-game"));
    back.onclick = () => go(shown.live);
    parts.push(make("span", {}, say("looking", { ply: shown.nodes[shown.node].ply, live: shown.nodes[shown.live].ply })), back);
  }
  if (shown.points && !over) parts.push(make("span", {}, say("impasse-points", { ...sideNames(game), first: shown.points[0], second: shown.points[1] })));
  if (shown.claim && shown.claim.entered > 3) parts.push(make("span", {}, say("claim-count", shown.claim)));
  update(host, ...parts);
  host.dataset.over = over ? over.cause : "";
  host.dataset.winner = over ? String(over.winner) : "";
}

/** @param {string} name of a square of Sygo */
function stone(name) {
  const { draft } = now();
  if (ahead?.done) return;
  if (draft?.stones.includes(name) || ahead?.stones.includes(name)) return wish({ op: "unstone", point: name });
  // After a stone that has not been answered the program alone knows what may follow.
  if (!draft?.points[name] && !ahead) return refused(name);
  wish({ op: "stone", point: name });
}

function showDraft() {
  const host = at("draft"), { draft } = now();
  host.hidden = !draft;
  if (!draft) return host.replaceChildren();
  const parts = [];
  if (draft.stones.length) {
    let text = say("sygo-growing", { grown: draft.grown, left: draft.groups.length });
    if (!draft.open) text += " " + say("sygo-ready");
    if (draft.captured.length) text += " " + say("sygo-captures", { count: draft.captured.length });
    if (Object.values(draft.points).includes("balance")) text += " " + say("sygo-balance");
    parts.push(make("p", {}, text));
    if (draft.open) parts.push(make("p", { class: "wrong" }, reasonText(draft.open)));
    const done = button("done", "done", () => wish({ op: "done" }), "strong");
    if (draft.open) done.setAttribute("disabled", "");
    parts.push(make("div", { class: "buttons" }, done, button("unstone", "undo-stone", () => wish({ op: "unstone" })), button("clear-draft", "clear", () => wish({ op: "clear" }))));
  } else parts.push(make("p", { class: "soft" }, say("sygo-choose")));
  update(host, ...parts);
}

/** Passes; asks before that while there is something to gain. */
function pass() {
  const { picture, nodes, node } = now(), owned = picture.territory[0].length + picture.territory[1].length;
  const open = picture.cells.filter((man) => !man).length - owned, early = pathTo(nodes, node).length < picture.columns && !isGuided();
  if (open > 0 && !confirm(say("pass-open?", { count: open })) || !open && early && !confirm(say("pass-early?"))) return;
  wish({ op: "turn", turn: "pass" });
}

/** @param {string} id @param {string} key @param {() => void} act @param {string} [kind] */
function button(id, key, act, kind = "") {
  const node = make("button", { type: "button", id, class: kind }, say(key));
  node.onclick = act;
  return node;
}

function showActs() {
  const shown = now(), acts = [];
  const person = shown.seats.some((seat) => seat.kind === "person");
  if (shown.may.pass) acts.push(button("do-pass", "do-pass", pass, shown.choices.length || Object.keys(shown.draft?.points || {}).length ? "" : "strong"));
  if (shown.may.claim) acts.push(button("do-claim", "claim", () => wish({ op: "claim" }), "strong"));
  if (shown.may.count) acts.push(button("do-count", "count-impasse", () => wish({ op: "count" })));
  if (shown.may.replay) acts.push(button("do-replay", "replay", () => wish({ op: "replay" }), "strong"));
  if (shown.mode === "play" && !shown.over) {
    if (person) acts.push(button("take-back", "take-back", () => wish({ op: "take-back" })), button("do-hint", "hint", () => wish({ op: "hint" })), button("do-resign", "resign", () => { if (confirm(say("resign?"))) wish({ op: "resign" }); }));
    acts.push(button("do-pause", shown.paused ? "resume" : "pause", () => wish({ op: shown.paused ? "resume" : "pause" })));
    for (const node of acts) if (node.id === "take-back" && !shown.may.takeBack || node.id === "do-resign" && !shown.may.resign) node.setAttribute("disabled", "");
  } else if (shown.over || shown.mode === "study") {
    acts.push(button("again", "new-game", openNew));
    if (shown.nodes.length > 2) acts.push(button("do-review", shown.review && !shown.review.sides ? "stop" : "review", () => wish({ op: shown.review && !shown.review.sides ? "review-stop" : "review" }), shown.review ? "" : "strong"));
    if (shown.review?.sides && !lesson.active && Lesson.mistakes(shown).length) acts.push(button("do-lesson", "lesson", () => lesson.begin(now()), "strong"));
    if (shown.mode === "study" && (shown.choices.length || shown.draft || shown.may.pass)) acts.push(button("do-continue", "play-from-here", () => newGame(shown, async (wanted) => { const { seats, clock, lot, impasse } = wanted; await insist({ op: "continue", seats, clock, lot, impasse }); return true; }, true)));
  }
  if (look(shown.game).drafts && !shown.over) acts.push(button("do-score", counting ? "hide-score" : "show-score", () => { counting = !counting; render(); }));
  if (look(shown.game).drafts && !course.active) acts.push(button("do-course", "course", () => replaced(async () => { practice?.stop(); await course.begin(0); return true; }).catch(fail)));
  const node = shown.nodes[shown.node];
  if (node.b) acts.push(button("do-better", "show-better", () => { better = shown.node; go(node.parent); }));
  const isMain = shown.node > 0 && shown.nodes.findIndex((other, index) => index > 0 && other.parent === node.parent) === shown.node;
  if (shown.mode === "study" && shown.node > 0 && !isMain) acts.push(button("do-main", "main-line", () => wish({ op: "main-line" })), button("do-delete", "delete-line", () => wish({ op: "delete" })));
  // A problem has its own buttons.
  update(at("acts"), ...(practice?.active ? [] : acts));
  const asked = shown.asked ? [make("span", { id: "asked-for", class: "soft" }), button("do-stop", "stop", () => wish({ op: "stop" }), "strong")] : null;
  if (!asked) askedSince = performance.now();
  const engine = asked || [button("do-analyse", shown.settings.analysis ? "engine-off" : "analyse", () => wish({ op: "settings", ...shown.settings, analysis: !shown.settings.analysis }))];
  if (!asked && look(shown.game).mates) engine.push(button("do-mate", "mate-search", () => wish({ op: "mate" })));
  else if (!asked) engine.push(button("do-solve", "solve", () => wish({ op: "solve" })));
  update(at("engine-acts"), ...engine);
  tick();
}

function showSearch() {
  const shown = now();
  const here = search && search.node === shown.node ? search : null;
  const value = here?.lines.length && !here.mate ? here.lines[0].s : shown.settings.analysis || shown.over || shown.mode === "study" ? shown.nodes[shown.node].s : undefined;
  showBar(shown, value, board.manner.flipped);
  showLines(shown, search, (line) => { if (line.t.length) tryout.begin(shown, line.t).catch(fail); }, (line) => {
    pointed = line;
    if (!tryout.active) showBoard();
  });
}

/** @param {number} node */
function go(node) {
  tryout.stop();
  if (node !== now().node) wish({ op: "go", to: node });
}

/**
 * Steps in the line that is shown.
 * @param {number} by
 */
function step(by) {
  if (tryout.active) return tryout.step(by);
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
 * Asks, and lets the caller show a refusal.
 * @param {object} what
 */
async function insist(what) {
  take(await explained(ask(now().room, { node: now().node, ...what })));
}

/** @param {string} form */
async function saveAs(form) {
  const { name, blob } = await explained(record(now().room, form));
  download(name, blob);
}

/**
 * Loads a file or a text; of several games one is picked from a list.
 * @param {Blob | string} content
 * @param {number} [pick]
 * @returns {Promise<boolean>}
 */
async function loaded(content, pick) {
  const found = await explained(load(now().room, content, pick));
  if ("games" in found) {
    const file = { content, games: found.games, rooms: {}, pick: 0 };
    pickGame(file.games, (wanted) => openChapter(file, wanted));
    return true;
  }
  return replaced(async () => { stopGuides(); take(found); return true; });
}

/**
 * The file that the games come from.
 * @type {Chapters | null}
 */
let chapters = null;

/**
 * Shows a game of a file; one that was opened before with all that was done to it.
 * @param {Chapters} file
 * @param {number} pick
 * @returns {Promise<boolean>}
 */
async function openChapter(file, pick) {
  const room = file.rooms[pick], again = room ? await explained(open({ room })) : null;
  const found = again?.room === room && again ? again : await explained(load(now().room, file.content, pick));
  if ("games" in found) return false;
  return replaced(async () => {
    stopGuides();
    chapters = { ...file, rooms: { ...file.rooms, [pick]: found.room }, pick };
    keepChapters(chapters).catch((error) => console.warn(error));
    take(found);
    return true;
  });
}

/** The games of the file that the shown one came from, with a name for it. */
function showChapters() {
  const host = at("chapters"), file = chapters, { room, title } = now();
  host.hidden = file?.rooms[file.pick] !== room;
  const key = [room, title, tongue()].join("|");
  if (!file || host.hidden || host.dataset.key === key) return;
  host.dataset.key = key;
  const name = (/** @type {FileGame} */ game) => game.names.map((name, side) => name || colourName(game.game, side, isHandicap(game.start))).join(" – ");
  const select = /** @type {HTMLSelectElement} */ (make("select", { id: "chapter", "aria-label": say("chapters") }, ...file.games.map((game) => make("option", { value: game.pick }, `${game.pick + 1}. ${game.pick === file.pick && title || name(game)}`))));
  select.value = String(file.pick);
  select.addEventListener("change", () => openChapter(file, Number(select.value)).catch(fail));
  const rename = button("chapter-name", "rename", () => {
    const text = prompt(say("rename"), title || name(file.games[file.pick]));
    if (text !== null) wish({ op: "title", text });
  });
  host.replaceChildren(select, rename);
}

function openFiles() {
  files(now(), {
    load: (content) => loaded(content),
    save: saveAs,
    setup: () => setup(now(), board.manner, (wanted) => replaced(async () => { await insist(wanted); stopGuides(); return true; })),
    picture: savePicture,
  });
}

function openNew() {
  newGame(now(), (wanted) => replaced(async () => { await insist(wanted); stopGuides(); turned = false; render(); return true; }));
}

function openGames() {
  myGames(now(), {
    open: async (id) => { stopGuides(); take(await explained(open({ room: id, chosen: true }))); },
    removed: (id) => { if (id === now().room) enter().catch(fail); },
  });
}

/** Enters the room that this tab had, or the one that the program gives it. */
async function enter() {
  let room = null;
  try {
    room = sessionStorage.getItem("kaeshi-room");
  } catch { /* nothing was kept */ }
  const shown = await open({ room });
  state = null;
  chapters ??= keptChapters();
  take(shown);
}

setLanguage(new URLSearchParams(location.search).get("language") || likes("language", "") || null);
at("do-new").addEventListener("click", openNew);
at("do-games").addEventListener("click", openGames);
at("do-practice").addEventListener("click", () => openPractice().catch(fail));
at("explorer").addEventListener("toggle", () => explorer.show(now()));
at("do-files").addEventListener("click", openFiles);
at("do-help").addEventListener("click", () => help(now().game));
at("sound").addEventListener("click", () => { setSounds(!sounds()); render(); });
at("do-settings").addEventListener("click", () => settings(() => { course.show(); practice?.show(); render(); }, now(), wish));
at("first").addEventListener("click", () => step(-Infinity));
at("back").addEventListener("click", () => step(-1));
at("next").addEventListener("click", () => step(1));
at("last").addEventListener("click", () => step(Infinity));
at("turn").addEventListener("click", () => { turned = !turned; render(); });
document.addEventListener("keydown", (event) => {
  const target = /** @type {HTMLElement} */ (event.target);
  if (document.querySelector("dialog[open]") || ["INPUT", "SELECT", "TEXTAREA"].includes(target.tagName) || event.ctrlKey || event.metaKey || event.altKey) return;
  const keys = /** @type {Record<string, () => void>} */ ({ ArrowLeft: () => step(-1), ArrowRight: () => step(1), Home: () => step(-Infinity), End: () => step(Infinity), f: () => at("turn").click(), h: () => document.getElementById("do-hint")?.click(), m: () => at("sound").click(), "?": () => help(now().game), Backspace: () => document.getElementById("unstone")?.click(), Escape: () => tryout.stop() });
  if (!keys[event.key]) return;
  event.preventDefault();
  keys[event.key]();
});
setInterval(tick, 100);
addEventListener("hashchange", openAddress);
addEventListener("resize", () => { at("curve").dataset.key = ""; if (state) showCurve(state, go); });
/** Shows the position or the record that the address of the page has: `#sfen=…`, `#fen=…`, `#position=…`. */
async function openAddress() {
  const wanted = /^#(sfen|fen|obf|position)=(.+)$/.exec(location.hash);
  if (!wanted) return;
  history.replaceState(null, "", location.pathname + location.search);
  await loaded(`${wanted[1]} ${decodeURIComponent(wanted[2]).replaceAll("_", " ")}`).catch(fail);
}

/** Sets the engines up as this person likes them. */
async function setUpEngines() {
  const { settings } = now(), { thinking = null, threads = null, hash = null, lines = null } = likes("engine", {}), wanted = { ...settings, thinking, threads, hash, lines };
  if (JSON.stringify(wanted) !== JSON.stringify({ ...settings })) await wish({ op: "settings", ...wanted });
}

enter().then(setUpEngines).then(openAddress).then(() => { document.body.dataset.ready = "1"; }, (error) => {
  at("lost").hidden = false;
  console.warn(error);
});
