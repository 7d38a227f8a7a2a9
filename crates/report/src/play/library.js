// My games: what was played, to go on with; and what is asked before a running game is left.
import { draw, make } from "../dom.js";
import { colourName, isHandicap, look, say, tongue } from "../words.js";
import { dialog, levelText } from "./dialogs.js";
import { changeGame, games } from "./talk.js";

/**
 * What a side of a game of the list is called.
 * @param {GameEntry} entry
 * @param {number} side
 */
const sideName = ({ game, handicap }, side) => colourName(game, side, look(game).style === "pieces" && !["", "none"].includes(handicap));

/**
 * How a game of the list ended.
 * @param {GameEntry} entry
 * @param {PlayOver} over
 */
function overText(entry, over) {
  const winner = over.winner === null ? say("drawn") : say("wins", { colour: sideName(entry, over.winner) });
  return `${winner} · ${say("cause-" + over.cause)}`;
}

/**
 * The players of a game in few words.
 * @param {GameEntry} entry
 */
function playersText(entry) {
  const { seats } = entry;
  const engines = seats.filter((seat) => seat.kind === "engine");
  if (engines.length === 2) return say("two-engines");
  if (engines.length === 1) return say("player-as", { player: `${say("engine")} ${levelText(engines[0].level)}`, colour: sideName(entry, seats[0].kind === "engine" ? 0 : 1) });
  return seats.some((seat) => seat.name) ? seats.map((seat, side) => seat.name || sideName(entry, side)).join(" – ") : say("two-people");
}

/**
 * What a game of the list is called: by its person, or by what it is.
 * @param {GameEntry} entry
 */
function entryTitle(entry) {
  if (entry.title) return entry.title;
  const { sizes } = look(entry.game), size = sizes[0] < sizes[1] ? ` ${entry.columns}×${entry.columns}` : "";
  return `${say(entry.game)}${size} · ${playersText(entry)}`;
}

/** @param {GameEntry} entry */
function entryFacts(entry) {
  const date = new Date(entry.changed).toLocaleString(tongue() === "ja" ? "ja-JP" : "en-GB", { dateStyle: "medium", timeStyle: "short" });
  const end = entry.over ? overText(entry, entry.over) : say(entry.mode === "study" ? "studied" : "unfinished");
  return [date, say("plies", { count: entry.plies }), end].join(" · ");
}

/** @param {string} path */
function icon(path) {
  const host = make("span"), svg = draw(host, "svg", { viewBox: "0 0 24 24", "aria-hidden": "true" });
  draw(svg, "path", { d: path });
  return svg;
}

/**
 * The list of all games.
 * @param {PlayState} state
 * @param {{ open: (id: string) => Promise<void>, removed: (id: string) => void }} acts
 */
export async function myGames(state, acts) {
  const current = state.room;
  const host = make("ul", { class: "game-list", id: "game-list" }), note = make("p", { class: "soft" }), wrong = make("p", { class: "wrong", role: "alert" });
  const box = dialog("my-games", say("my-games"), note, wrong, host);
  /** @param {Promise<unknown>} asked */
  const attempt = (asked) => asked.catch((error) => { wrong.textContent = error instanceof Error ? error.message : String(error); });
  const show = async () => {
    const list = await games();
    const some = list.games.length + list.unreadable.length;
    const where = list.host ? say(some ? "games-in-browser" : "no-games-in-browser") : list.folder ? say(some ? "games-in" : "no-games-in", { folder: list.folder }) : say("unkept", { text: "" });
    note.textContent = state.record ? `${where} ${say("saved-in", { file: state.record })}` : where;
    host.replaceChildren(...list.games.map((entry) => row(entry)), ...list.unreadable.map((file) => unreadable(file)));
  };
  /**
   * The button that removes a game, and what is asked then.
   * @param {string} id
   * @param {string} title
   * @param {HTMLElement} item the row
   */
  const removal = (id, title, item) => {
    const remove = make("button", { type: "button", "data-remove": id, title: say("remove"), "aria-label": say("labelled", { label: say("remove"), text: title }) }, icon("M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13"));
    remove.addEventListener("click", () => {
      const shown = [...item.childNodes];
      const yes = make("button", { type: "button", class: "danger", "data-remove-yes": id }, say("remove")), no = make("button", { type: "button" }, say("cancel"));
      yes.addEventListener("click", () => attempt(changeGame(id, { op: "delete" }).then(() => { acts.removed(id); return show(); })));
      no.addEventListener("click", () => item.replaceChildren(...shown));
      item.replaceChildren(make("p", {}, say("remove?", { title })), yes, no);
    });
    return remove;
  };
  /** @param {UnreadableGame} file */
  const unreadable = ({ id, reason }) => {
    const item = make("li", {}, make("p", { class: "wrong", "data-unreadable": id }, say("unreadable-game", { file: `${id}.json`, text: reason })));
    item.append(removal(id, `${id}.json`, item));
    return item;
  };
  /** @param {GameEntry} entry */
  const row = (entry) => {
    const open = make("button", { type: "button", class: "game-entry", "data-open": entry.id, "aria-current": entry.id === current }, make("b", {}, entryTitle(entry)), make("small", {}, entryFacts(entry)));
    open.addEventListener("click", () => attempt(acts.open(entry.id).then(() => box.close())));
    const rename = make("button", { type: "button", "data-rename": entry.id, title: say("rename"), "aria-label": say("labelled", { label: say("rename"), text: entryTitle(entry) }) }, icon("M4 20l1-5L16 4l4 4L9 19Z"));
    const item = make("li", {}, open, rename);
    item.append(removal(entry.id, entryTitle(entry), item));
    rename.addEventListener("click", () => {
      const field = /** @type {HTMLInputElement} */ (make("input", { value: entryTitle(entry), maxlength: 100, "aria-label": say("rename") }));
      const done = make("button", { type: "submit", class: "strong" }, say("ok")), form = make("form", { class: "buttons" }, field, done);
      form.addEventListener("submit", (event) => {
        event.preventDefault();
        attempt(changeGame(entry.id, { op: "title", text: field.value }).then(show));
      });
      item.replaceChildren(form);
      field.select();
    });
    return item;
  };
  await attempt(show());
}

/**
 * Asks before a running game is left.
 * @param {PlayState} state
 * @param {() => void} save
 * @returns {Promise<"keep" | "discard" | null>} nothing if it is not to be left
 */
export function leave(state, save) {
  return new Promise((resolve) => {
    const choose = (/** @type {string} */ id, /** @type {string} */ key, /** @type {string} */ kind) => make("button", { type: "button", id, class: kind }, say(key));
    const keep = choose("leave-keep", "leave-keep", "strong"), back = choose("leave-back", "leave-back", ""), file = choose("leave-save", "leave-save", ""), discard = choose("leave-discard", "leave-discard", "danger");
    const box = dialog("leave", say("leave-title"), make("p", {}, say(state.unkept ? "leave-unkept" : "leave-text")), make("div", { class: "choices" }, ...(state.unkept ? [back, file, discard] : [keep, back, file, discard])));
    /** @type {"keep" | "discard" | null} */
    let answer = null;
    const answered = (/** @type {"keep" | "discard" | null} */ wanted) => () => { answer = wanted; box.close(); };
    keep.addEventListener("click", answered("keep"));
    back.addEventListener("click", answered(null));
    discard.addEventListener("click", answered("discard"));
    file.addEventListener("click", save);
    box.addEventListener("close", () => resolve(answer));
  });
}

/**
 * The games of a file that holds several.
 * @param {FileGame[]} list
 * @param {(pick: number) => Promise<boolean>} open whether it was opened
 */
export function pickGame(list, open) {
  const wrong = make("p", { class: "wrong", role: "alert" });
  const rows = list.map((game) => {
    const names = game.names.map((name, side) => name || colourName(game.game, side, isHandicap(game.start))).join(" – ");
    const button = make("button", { type: "button", class: "game-entry", "data-pick": game.pick }, make("b", {}, `${game.pick + 1}. ${names}`), make("small", {}, [game.event, game.date.slice(0, 10), say("plies", { count: game.plies }), game.result].filter(Boolean).join(" · ")));
    button.addEventListener("click", () => open(game.pick).then((done) => { if (done) box.close(); }, (error) => { wrong.textContent = error instanceof Error ? error.message : String(error); }));
    return make("li", {}, button);
  });
  const box = dialog("pick-game", say("pick-game", { count: list.length }), wrong, make("ul", { class: "game-list" }, ...rows));
}
