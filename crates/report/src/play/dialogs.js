// The dialogs: a new game, files, a position set up by hand, settings.
import { Board } from "../board.js";
import { squareIndex } from "../board/picture.js";
import { draw, make } from "../dom.js";
import { drawPiece } from "../pieces.js";
import { colourName, gameNames, look, pieceName, say, setLanguage } from "../words.js";

const HANDICAPS = ["none", "lance", "right-lance", "bishop", "rook", "rook-lance", "2-piece", "3-piece", "4-piece", "5-piece", "left-5-piece", "6-piece", "left-7-piece", "right-7-piece", "8-piece", "10-piece"];
const FULL = 21;

/** What one likes, kept in the browser. */
const liked = (() => {
  try {
    return JSON.parse(localStorage.getItem("kaeshi-likes") || "{}");
  } catch {
    return {};
  }
})();
/** @param {string} key @param {any} value */
export function like(key, value) {
  liked[key] = value;
  try {
    localStorage.setItem("kaeshi-likes", JSON.stringify(liked));
  } catch { /* a browser that keeps nothing */ }
}
/** @param {string} key @param {any} [otherwise] */
export const likes = (key, otherwise) => liked[key] ?? otherwise;

/**
 * A choice of words.
 * @param {string} id
 * @param {[string | number, string][]} options
 * @param {string | number} value
 */
function choice(id, options, value) {
  const select = make("select", { id }, ...options.map(([key, text]) => make("option", { value: key }, text)));
  /** @type {HTMLSelectElement} */ (select).value = String(value);
  return /** @type {HTMLSelectElement} */ (select);
}

/** @param {string} label @param {HTMLElement} field */
const row = (label, field) => make("label", { class: "row" }, make("span", {}, label), field);

/** @param {string} id @param {number | ""} value @param {number} least @param {number} most @param {number} [step] */
const number = (id, value, least, most, step = 1) => /** @type {HTMLInputElement} */ (make("input", { id, type: "number", value, min: least, max: most, step }));

/**
 * An open dialog with this title; closed ones are gone.
 * @param {string} id
 * @param {string} title
 * @param {...(Node | string)} content
 */
export function dialog(id, title, ...content) {
  document.getElementById(id)?.remove();
  const close = make("button", { type: "button", class: "close", "aria-label": say("close") }, "×");
  const box = /** @type {HTMLDialogElement} */ (make("dialog", { id, "aria-label": title }, make("header", {}, make("h2", {}, title), close), ...content));
  close.addEventListener("click", () => box.close());
  box.addEventListener("close", () => box.remove());
  box.addEventListener("click", (event) => { if (event.target === box) box.close(); });
  document.body.append(box);
  box.showModal();
  return box;
}

/** The name of a level. */
export const levelText = (/** @type {number} */ level) => (level >= FULL ? say("level-21") : `${level} · ${say("level-" + level)}`);

/**
 * Asks what to play.
 * @param {PlayState} state
 * @param {(wish: { seats: object[], clock: object | null, [key: string]: any }) => Promise<boolean>} begin whether it has begun
 * @param {boolean} [here] whether the game goes on from the position that is shown
 */
export function newGame(state, begin, here = false) {
  /** @type {string} */
  let game = state.game;
  const fields = make("div", { class: "fields" });
  const tabs = make("div", { class: "segments", role: "group" }, ...gameNames().map((name) => make("button", { type: "button", "data-game": name }, say(name))));
  /** @type {Record<string, HTMLSelectElement | HTMLInputElement>} */
  let inputs = {};
  const build = () => {
    tabs.querySelectorAll("button").forEach((button) => button.setAttribute("aria-pressed", String(button.dataset.game === game)));
    const last = likes("game-" + game, {});
    /** @type {[number, string][]} */
    const levels = Array.from({ length: FULL }, (_, index) => [index + 1, levelText(index + 1)]);
    inputs = {
      against: choice("new-against", [["engine", say("against-kaeshi")], ["people", say("two-people")], ["engines", say("two-engines")]], last.against || "engine"),
      level: choice("new-level", levels, last.level || 4),
      colour: choice("new-colour", [[0, ""], [1, ""], [2, say("colour-any")]], last.colour ?? 0),
      handicap: choice("new-handicap", HANDICAPS.map((name) => [name, say("handicap-" + name)]), last.handicap || "none"),
      size: choice("new-size", [3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19].map((size) => [size, `${size}×${size}`]), last.size || 9),
      clock: choice("new-clock", [["none", say("clock-none")], ["clock", say("clock-on")]], last.clock || "none"),
      minutes: number("new-minutes", last.minutes ?? 10, 0, 600), byoyomi: number("new-byoyomi", last.byoyomi ?? 30, 0, 3600), increment: number("new-increment", last.increment ?? 0, 0, 600),
      impasse: choice("new-impasse", [[24, say("impasse-24")], [27, say("impasse-27")]], last.impasse || 24),
    };
    const clock = make("div", { class: "triple" }, row(say("minutes"), inputs.minutes), row(say("byoyomi"), inputs.byoyomi), row(say("increment"), inputs.increment));
    const level = row(say("level"), inputs.level), colour = row(say("colour"), inputs.colour);
    const hint = make("p", { class: "soft" }, say("level-hint"));
    fields.replaceChildren(row(say("against"), inputs.against), level, hint, colour);
    if (look(game).style === "pieces" && !here) fields.append(row(say("handicap"), inputs.handicap));
    if (look(game).style === "pieces") fields.append(row(say("impasse"), inputs.impasse));
    if (look(game).sizes[0] < look(game).sizes[1] && !here) fields.append(row(say("size"), inputs.size));
    fields.append(row(say("clock"), inputs.clock), clock);
    const tidy = () => {
      // In a handicap game the sides have other names.
      const handicap = here ? undefined : look(game).style === "pieces" && inputs.handicap.value !== "none";
      for (const side of [0, 1]) inputs.colour.children[side].textContent = colourName(game, side, handicap);
      level.hidden = hint.hidden = inputs.against.value === "people";
      colour.hidden = inputs.against.value !== "engine";
      clock.hidden = inputs.clock.value === "none";
    };
    inputs.against.addEventListener("change", tidy);
    inputs.clock.addEventListener("change", tidy);
    inputs.handicap.addEventListener("change", tidy);
    tidy();
  };
  tabs.addEventListener("click", (event) => {
    const name = /** @type {HTMLElement} */ (event.target).dataset.game;
    if (!name) return;
    game = name;
    build();
  });
  build();
  const wrong = make("p", { class: "wrong", role: "alert", id: "new-wrong" });
  const start = make("button", { type: "button", id: "new-begin", class: "strong" }, say("begin"));
  const box = dialog("new-game", say(here ? "play-from-here" : "new-game"), ...(here ? [make("p", { class: "soft" }, say("play-from-here-help"))] : [tabs]), fields, wrong, make("footer", {}, start));
  start.addEventListener("click", async () => {
    const value = (/** @type {string} */ name) => inputs[name].value;
    const clock = value("clock") === "none" ? null : { minutes: Number(value("minutes")), byoyomi: Number(value("byoyomi")), increment: Number(value("increment")) };
    const times = ["minutes", "byoyomi", "increment"].map((name) => /** @type {HTMLInputElement} */ (inputs[name]));
    if (clock && (times.some((input) => input.value === "" || !input.checkValidity()) || !times.some((input) => Number(input.value) > 0))) {
      wrong.textContent = say("bad-clock");
      return;
    }
    const lot = value("colour") === "2" && value("against") === "engine";
    const level = Number(value("level")), person = { kind: "person", level }, engine = { kind: "engine", level };
    const seats = value("against") === "people" ? [person, person] : value("against") === "engines" ? [engine, engine] : value("colour") === "1" ? [engine, person] : [person, engine];
    like("game-" + game, { against: value("against"), level, colour: Number(value("colour")), handicap: value("handicap"), size: Number(value("size")), clock: value("clock"), minutes: Number(value("minutes")), byoyomi: Number(value("byoyomi")), increment: Number(value("increment")), impasse: Number(value("impasse")) });
    try {
      const begun = await begin({ op: "new", game, seats, lot, impasse: Number(value("impasse")), clock, handicap: look(game).style === "pieces" ? value("handicap") : "none", size: Number(value("size")), position: null });
      if (begun) box.close();
    } catch (error) {
      wrong.textContent = error instanceof Error ? error.message : String(error);
    }
  });
}

/** @param {PlayState} state @param {{ load: (content: Blob | string) => Promise<boolean>, save: (form: string) => void, setup: () => void, picture: (kind: string) => void }} acts */
export function files(state, acts) {
  const text = /** @type {HTMLTextAreaElement} */ (make("textarea", { id: "paste", rows: 5, spellcheck: false, placeholder: say("paste-here") }));
  const wrong = make("p", { class: "wrong", role: "alert", id: "file-wrong" });
  const file = /** @type {HTMLInputElement} */ (make("input", { type: "file", id: "file", class: "hidden-input" }));
  const load = make("button", { type: "button", id: "load", class: "strong" }, say("load"));
  const browse = make("label", { class: "button", for: "file" }, say("open"));
  const setup = make("button", { type: "button", id: "to-setup" }, say("setup"));
  const form = choice("save-form", look(state.game).forms.map((name) => [name, name.toUpperCase()]), look(state.game).forms[0]);
  form.setAttribute("aria-label", say("save-as"));
  const save = make("button", { type: "button", id: "save" }, say("save-as"));
  const svg = make("button", { type: "button", id: "save-svg" }, say("picture-svg")), png = make("button", { type: "button", id: "save-png" }, say("picture-png"));
  const position = /** @type {HTMLInputElement} */ (make("input", { id: "position-text", readonly: true, value: state.position, "aria-label": say("position") }));
  const copy = make("button", { type: "button" }, say("copy"));
  const box = dialog("files", say("files"),
    make("h3", {}, say("paste")), text, make("div", { class: "buttons" }, load, browse, file, setup), wrong,
    make("h3", {}, say("save-as")), make("div", { class: "buttons" }, form, save, svg, png),
    make("h3", {}, say("position")), make("div", { class: "buttons" }, position, copy));
  const attempt = async (/** @type {Blob | string} */ content) => {
    try {
      if (await acts.load(content)) box.close();
    } catch (error) {
      wrong.textContent = error instanceof Error ? error.message : String(error);
    }
  };
  load.addEventListener("click", () => attempt(text.value));
  file.addEventListener("change", () => { if (file.files?.[0]) attempt(file.files[0]); });
  save.addEventListener("click", () => acts.save(form.value));
  svg.addEventListener("click", () => acts.picture("svg"));
  png.addEventListener("click", () => acts.picture("png"));
  setup.addEventListener("click", () => { box.close(); acts.setup(); });
  copy.addEventListener("click", () => {
    position.select();
    navigator.clipboard?.writeText(position.value).then(() => { copy.textContent = say("copied"); }, () => {});
  });
}

/** @param {() => void} changed @param {PlayState} state @param {(wish: object) => void} ask */
export function settings(changed, state, ask) {
  const language = choice("set-language", [["", say("theme-auto")], ["en", "English"], ["ja", "日本語"]], likes("language", ""));
  const theme = choice("set-theme", [["", say("theme-auto")], ["light", say("theme-light")], ["dark", say("theme-dark")]], likes("theme", ""));
  const pieces = choice("set-pieces", ["one", "two", "pictures", "letters"].map((name) => [name, say("pieces-" + name)]), likes("pieces", "one"));
  const check = (/** @type {string} */ id, /** @type {boolean} */ on, /** @type {string} */ text) => {
    const input = /** @type {HTMLInputElement} */ (make("input", { id, type: "checkbox" }));
    input.checked = on;
    return { input, label: make("label", { class: "check" }, input, text) };
  };
  const ground = choice("set-board", [["plain", say("board-plain")], ["grain", say("board-grain")]], likes("board", "plain"));
  ground.addEventListener("change", () => { like("board", ground.value); changed(); });
  const coordinates = check("set-coordinates", likes("coordinates", true), say("coordinates"));
  const notation = choice("set-notation", [["", say("notation-auto")], ["western", say("notation-western")], ["japanese", say("notation-japanese")], ["protocol", say("notation-protocol")]], likes("notation", ""));
  const engine = /** @type {Record<"thinking" | "threads" | "hash" | "lines", HTMLInputElement>} */ ({
    thinking: number("set-thinking", state.settings.thinking === null ? "" : state.settings.thinking / 1000, state.ranges.thinking[0] / 1000, state.ranges.thinking[1] / 1000, 0.1), threads: number("set-threads", state.settings.threads ?? "", ...state.ranges.threads),
    hash: number("set-hash", state.settings.hash ?? "", ...state.ranges.hash), lines: number("set-lines", state.settings.lines ?? "", ...state.ranges.lines),
  });
  for (const name in engine) engine[/** @type {keyof typeof engine} */ (name)].placeholder = say("usual");
  const evaluation = check("set-evaluation", state.settings.analysis, say("evaluation-live"));
  const mistakes = check("set-mistakes", state.settings.mistakes, say("mistakes-live"));
  dialog("settings", say("settings"), make("div", { class: "fields" },
    row(say("language"), language), row(say("theme"), theme), row(say("pieces"), pieces), row(say("board"), ground), row(say("notation"), notation), coordinates.label, evaluation.label, mistakes.label,
    row(say("set-thinking"), engine.thinking), ...(state.ranges.threads[1] > 1 ? [row(say("set-threads"), engine.threads)] : []), row(say("set-hash"), engine.hash), row(say("set-lines"), engine.lines)));
  notation.addEventListener("change", () => { like("notation", notation.value); changed(); });
  language.addEventListener("change", () => { like("language", language.value); setLanguage(language.value || null); changed(); });
  theme.addEventListener("change", () => { like("theme", theme.value); changed(); });
  pieces.addEventListener("change", () => { like("pieces", pieces.value); changed(); });
  coordinates.input.addEventListener("change", () => { like("coordinates", coordinates.input.checked); changed(); });
  /** @param {HTMLInputElement} input @param {number} [unit] */
  const value = (input, unit = 1) => (input.checkValidity() && input.value ? Math.round(Number(input.value) * unit) : null);
  const send = () => {
    const wanted = { analysis: evaluation.input.checked, mistakes: mistakes.input.checked, thinking: value(engine.thinking, 1000), threads: value(engine.threads), hash: value(engine.hash), lines: value(engine.lines) };
    like("engine", wanted);
    ask({ op: "settings", ...wanted });
  };
  for (const name in engine) engine[/** @type {keyof typeof engine} */ (name)].addEventListener("change", send);
  evaluation.input.addEventListener("change", send);
  mistakes.input.addEventListener("change", send);
}

/**
 * A position made by hand.
 * @param {PlayState} state
 * @param {Manner} manner
 * @param {(setup: object) => Promise<boolean>} take whether it was taken
 */
export function setup(state, manner, take) {
  /** @type {Picture} */
  const picture = structuredClone(state.picture);
  const { game } = state, pieces = state.picture.style === "pieces";
  let side = state.side, brush = 0, grown = false;
  /** @type {Man[]} */
  const brushes = (pieces ? ["P", "L", "N", "S", "G", "B", "R", "K", "+P", "+L", "+N", "+S", "+B", "+R"] : [""]).flatMap((kind) => [{ side: "first", kind }, { side: "second", kind }]);
  const host = make("div", { class: "board-host", id: "setup-board" }), palette = make("div", { class: "palette", role: "group" });
  const wrong = make("p", { class: "wrong", role: "alert", id: "setup-wrong" }), hands = make("div", { class: "hands-setup" });
  const board = new Board(host, {
    // A man that is dragged from the board is gone.
    moved: (from, to) => {
      const index = squareIndex(picture, from), target = to ? squareIndex(picture, to) : -1, man = picture.cells[index];
      picture.cells[index] = null;
      if (target >= 0) picture.cells[target] = man;
      show();
    },
    pick: (name) => {
      const index = squareIndex(picture, name), man = picture.cells[index], wanted = brushes[brush];
      if (index < 0) return;
      picture.cells[index] = man && man.side === wanted.side && man.kind === wanted.kind ? null : wanted;
      show();
    },
  });
  const show = () => board.show(picture, {});
  const showHands = () => {
    hands.replaceChildren();
    if (pieces) picture.hands.forEach((hand, owner) => {
      const line = make("div", {}, make("b", {}, colourName(game, owner)));
      for (const kind of ["R", "B", "G", "S", "N", "L", "P"]) {
        const count = hand.find((held) => held.kind === kind)?.count || 0, letter = owner ? kind.toLowerCase() : kind;
        const hold = (/** @type {number} */ by) => () => {
          const rest = picture.hands[owner].filter((held) => held.kind !== kind), wanted = Math.max(0, Math.min(18, count + by));
          picture.hands[owner] = wanted ? [...rest, { kind, count: wanted }] : rest;
          show();
          showHands();
        };
        const more = make("button", { type: "button", "data-hold": letter }, pieceIcon(letter, manner), make("span", { class: "unseen" }, say("hold-more", { piece: pieceName(letter) }) + " "), String(count)), fewer = make("button", { type: "button", "data-drop": letter, "aria-label": say("hold-fewer", { piece: pieceName(letter) }) }, "−");
        more.addEventListener("click", hold(1));
        fewer.addEventListener("click", hold(-1));
        if (!count) fewer.setAttribute("disabled", "");
        line.append(make("span", { class: "held" }, more, fewer));
      }
      hands.append(line);
    });
  };
  const paint = () => {
    palette.replaceChildren(...brushes.map((man, index) => {
      const letter = man.side === "first" ? man.kind : man.kind.toLowerCase(), owner = man.side === "first" ? 0 : 1;
      const label = pieces ? pieceName(letter) : colourName(game, owner);
      const button = make("button", { type: "button", "data-brush": pieces ? letter : man.side, "aria-pressed": index === brush, "aria-label": label, title: label });
      button.append(pieces ? pieceIcon(letter, manner) : make("i", { class: `disc-icon ${look(game).colours[owner][0]}` }));
      button.addEventListener("click", () => { brush = index; paint(); });
      return button;
    }));
  };
  const mover = choice("setup-side", [[0, colourName(game, 0, false)], [1, colourName(game, 1, false)]], side);
  mover.addEventListener("change", () => { side = /** @type {Side} */ (Number(mover.value)); });
  const empty = make("button", { type: "button", id: "setup-empty" }, say("empty-board"));
  empty.addEventListener("click", () => { picture.cells.fill(null); picture.hands = [[], []]; picture.check = null; show(); showHands(); });
  const ready = make("button", { type: "button", class: "strong", id: "setup-take" }, say("take-position"));
  const extra = [];
  if (look(game).drafts) {
    const input = /** @type {HTMLInputElement} */ (make("input", { type: "checkbox", id: "setup-grown" }));
    input.addEventListener("change", () => { grown = input.checked; });
    extra.push(make("label", { class: "check" }, input, say("has-grown")));
  }
  const box = dialog("setup", say("setup"), make("p", { class: "soft" }, say("setup-help")), make("div", { class: "setup-grid" }, host, make("div", {}, make("div", { class: "buttons" }, empty), palette, row(say("side-to-move"), mover), ...extra, hands)), make("footer", { class: "stay" }, wrong, ready));
  board.manner = { ...manner, flipped: false };
  show();
  showHands();
  paint();
  ready.addEventListener("click", async () => {
    try {
      if (await take({ op: "setup", cells: picture.cells, hands: picture.hands, side, grown })) box.close();
    } catch (error) {
      wrong.textContent = error instanceof Error ? error.message : String(error);
    }
  });
}

/**
 * A single piece for a button.
 * @param {string} name
 * @param {Manner} manner
 */
function pieceIcon(name, manner) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "-50 -50 100 100");
  svg.setAttribute("class", "board icon");
  const group = draw(svg, "g", name !== name.toUpperCase() ? { transform: "rotate(180)" } : {});
  drawPiece(group, name, manner.pieces);
  return svg;
}
