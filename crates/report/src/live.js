// The page of `kaeshi live`: asks what there is to see, and shows what has changed.
import { Board } from "./board.js";
import { at, hasKanji, make } from "./dom.js";
import { redrawGames, showGames } from "./games.js";
import { piecesManner } from "./pieces.js";
import { readerBar, setReported, translate } from "./reader.js";
import { clockText, look, say, scoreText, setStart, turnText } from "./words.js";

/** Milliseconds from one answer to the next question. */
const PACE = 700;

/**
 * A table with its board.
 * @typedef {{ host: HTMLElement, board: Board, game: RunningGame | null, since: number }} Table
 */
/** @type {Table[]} */
const tables = [];
let version = 0;

/** @returns {Table} */
function newTable() {
  const place = make("div"), host = make("figure", { class: "table" }, make("div", { class: "seat" }), place, make("div", { class: "seat" }), make("figcaption"));
  at("tables").append(host);
  const board = new Board(place);
  board.manner = { ...board.manner, pieces: hasKanji() ? piecesManner("one") : "letters" };
  return { host, board, game: null, since: 0 };
}

/** @param {RunningGame[]} running */
function showTables(running) {
  while (tables.length < running.length) tables.push(newTable());
  for (const table of tables.splice(running.length)) table.host.remove();
  running.forEach((game, index) => {
    const table = tables[index];
    table.since = performance.now() - game.thinking;
    table.game = game;
    table.board.show(game.picture, { last: game.last, turned: game.turned });
    table.host.dataset.game = game.id;
    table.host.dataset.ply = String(game.ply);
  });
  at("running").hidden = !running.length;
  showClocks();
}

/** Draws what changes while nothing happens: the clock of the side to move. */
function showClocks() {
  for (const { host, game, since } of tables) {
    if (!game) continue;
    setStart(game.start);
    const { colours } = look(game.game), toMove = game.picture.toMove === "first" ? 0 : 1;
    const seats = host.querySelectorAll(".seat");
    for (const side of [0, 1]) {
      const seat = seats[side ? 0 : 1], moving = side === toMove, left = game.rest[side], score = game.scores[side];
      const used = performance.now() - since;
      const time = left === null ? (moving ? clockText(used) : "") : clockText(left - (moving ? used : 0));
      seat.replaceChildren(
        make("i", { class: colours[side] === "black" ? "dark" : "light" }), make("b", {}, game.names[side]),
        make("small", {}, score === null ? "" : scoreText(game.game, score)), make("time", {}, time),
      );
      seat.classList.toggle("moving", moving);
    }
    const turn = game.last_turn ? `${game.ply}. ${turnText(game.last_turn)}` : say("start");
    host.querySelector("figcaption")?.replaceChildren(`${game.id} · ${turn}`);
  }
}

/**
 * Puts the report in the place of the former one; what was unfolded stays so.
 * @param {LiveReport} report
 */
function showReport(report) {
  const host = at("report"), texts = (/** @type {Element} */ node) => node.closest("figure, section")?.querySelector("h2, h3")?.textContent + "/" + node.querySelector("summary")?.textContent;
  const open = new Set([...host.querySelectorAll("details[open]")].map(texts));
  host.innerHTML = report.html;
  for (const node of host.querySelectorAll("details")) if (open.has(texts(node))) node.setAttribute("open", "");
  document.title = report.title;
  at("games").hidden = !report.games.games.length;
  setReported(report.games.games);
  if (report.games.game !== game) begin(report.games.game);
  else translate(host);
  showGames(report.games);
}

async function ask() {
  const answer = await fetch(`/api/now?have=${version}`);
  if (!answer.ok) throw new Error(String(answer.status));
  /** @type {LiveState} */
  const state = await answer.json();
  if (state.report) showReport(state.report);
  version = state.version;
  showTables(state.running);
  at("trouble").textContent = state.trouble || "";
  document.body.dataset.version = String(version);
}

async function watch() {
  try {
    // A hidden page is not seen.
    if (!document.hidden) await ask();
    at("lost").hidden = true;
  } catch {
    at("lost").hidden = false;
    showTables([]);
  }
  setTimeout(watch, PACE);
}

/**
 * Game of the report.
 * @type {string | null}
 */
let game = null;

/**
 * Puts the choice of language above the page, once its game is known.
 * @param {string} name
 */
function begin(name) {
  game = name;
  document.querySelector(".reader")?.remove();
  readerBar(name, null, () => { redrawGames(); showClocks(); });
}

at("tables").dataset.own = "true";
begin("");
setInterval(showClocks, 200);
void watch();
document.body.dataset.ready = "1";
