// Every text of the page, in English and Japanese.
import { hasKanji } from "./dom.js";

/** @typedef {"en" | "ja"} Language */
/**
 * Texts by language and key, as `words.json` has them, and what `crates/report/src/files.rs` has of each game.
 * @type {Record<Language, Record<string, string>> & { games: [string, GameLook][] }}
 */
const texts = JSON.parse(document.getElementById("words")?.textContent || '{"en":{},"ja":{},"games":[]}');

/**
 * The fetch of the texts that few people need.
 * @type {Promise<void> | null}
 */
let more = null;

/** Fetches the texts of the course, the rules and the problems, once. */
export function moreTexts() {
  more ??= fetch("words-more.json").then((answer) => answer.json()).then((found) => {
    Object.assign(texts.en, found.en);
    Object.assign(texts.ja, found.ja);
  });
  more.catch(() => { more = null; });
  return more;
}

/** The names of all games. */
export const gameNames = () => texts.games.map(([name]) => name);

/**
 * What is known of a game.
 * @param {string} game
 * @returns {GameLook}
 */
export const look = (game) => (texts.games.find(([name]) => name === game) || texts.games[0])[1];

/** @type {Language} */
let language = "en";

/** The language in force. */
export const tongue = () => language;

/**
 * Takes the wanted language, or that of the browser. Without a Japanese font it is English.
 * @param {string | null | undefined} wanted
 */
export function setLanguage(wanted) {
  const named = wanted === "ja" || wanted === "en" ? wanted : (navigator.language || "en").startsWith("ja") ? "ja" : "en";
  language = named === "ja" && hasKanji() ? "ja" : "en";
  document.documentElement.lang = language;
  for (const node of document.querySelectorAll("[data-say]")) node.textContent = say(/** @type {HTMLElement} */ (node).dataset.say || "");
  for (const node of document.querySelectorAll("[data-say-title]")) {
    const text = say(/** @type {HTMLElement} */ (node).dataset.sayTitle || "");
    node.setAttribute("title", text);
    node.setAttribute("aria-label", text);
  }
}

/**
 * The text of `key`, with `{name}` replaced.
 * @param {string} key
 * @param {Record<string, string | number>} [values]
 * @returns {string}
 */
export function say(key, values = {}) {
  const text = texts[language][key] ?? texts.en[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

/**
 * Whether there is a text of this key.
 * @param {string} key
 */
export const known = (key) => key in texts.en;

/** Whether the game of shogi that is shown is a handicap game, whose sides have other names in Japanese. */
let handicap = false;

/**
 * Whether a game that begins with this position of shogi is a handicap game: all pieces of Black, and White moves first.
 * @param {string} start
 */
export const isHandicap = (start) => /\/PPPPPPPPP\/1B5R1\/LNSGKGSNL w - 1$/.test(start);

/** @param {string} start the position in which the game that is shown began */
export const setStart = (start) => { handicap = isHandicap(start); };

/**
 * What a side is called, by its number or its colour.
 * @param {string} game
 * @param {number | string} side
 * @param {boolean} [uneven] whether it is a handicap game
 */
export function colourName(game, side, uneven = handicap) {
  const { colours, local } = look(game), index = typeof side === "number" ? side : colours.findIndex((colour) => colour[0] === side);
  if (local && local === language) return say(uneven ? (index ? "uwate" : "shitate") : index ? "gote" : "sente");
  return say(colours[index]);
}

/**
 * What a piece of shogi is called, by its letter of SFEN.
 * @param {string} cell
 */
export function pieceName(cell) {
  const name = say("piece-" + cell.toUpperCase());
  const lower = cell !== cell.toUpperCase();
  return cell.length && /[a-z]/i.test(cell) ? `${colourName("shogi", lower ? 1 : 0)} ${name}` : name;
}

/**
 * The side whose values are shown: positive where it is ahead.
 * @type {Side}
 */
let valued = 0;

/** @param {Side} side */
export const valueFor = (side) => { valued = side; };

/**
 * A value as the chosen side sees it.
 * @param {number} value for the first mover
 */
export const seenValue = (value) => (valued ? -value : value);

/**
 * Whose values are shown, in words.
 * @param {string} game
 */
export const valuedText = (game) => say("values-for", { colour: colourName(game, valued) });

/**
 * A value for people, from the chosen side.
 * @param {string} game
 * @param {number} value for the first mover in hundredths; mates beyond 100 000
 * @param {boolean} [proven]
 */
export function scoreText(game, value, proven = false) {
  if (Math.abs(value) > 100000) {
    const plies = 200000 - Math.abs(value), winner = colourName(game, value > 0 ? 0 : 1);
    return plies ? say("mate-in", { colour: winner, plies }) : say("mated", { colour: winner });
  }
  const seen = seenValue(value), sign = seen > 0 ? "+" : seen < 0 ? "−" : "", size = Math.abs(seen);
  if (look(game).hundredths) return sign + Math.round(size);
  const points = size / 100, text = Number.isInteger(points) ? String(points) : points.toFixed(1);
  return sign + text + (proven ? "!" : "");
}

/**
 * The same in few signs, for a narrow place.
 * @param {string} game
 * @param {number} value
 */
export function shortScore(game, value) {
  if (Math.abs(value) <= 100000) return scoreText(game, value);
  const plies = 200000 - Math.abs(value);
  return (seenValue(value) > 0 ? "+" : "−") + (plies ? "#" + plies : "#");
}

/** @typedef {"" | "japanese" | "western" | "protocol"} Notation */
/**
 * How moves of shogi are written; nothing for the way of the language.
 * @type {Notation}
 */
let notation = "";

/** @param {Notation} wanted */
export const setNotation = (wanted) => { notation = wanted; };

/**
 * A turn or a line of turns as people of this language read it.
 * @param {{ t: string | string[], j?: string, w?: string }} turn
 */
export function turnText({ t, j, w }) {
  const wanted = notation || (language === "ja" ? "japanese" : "western");
  if (j && wanted === "japanese" && hasKanji()) return j.replaceAll("\u3000", "");
  if (w && wanted === "western") return w;
  const turns = Array.isArray(t) ? t : t.split(" ");
  return turns.map((turn) => (turn === "pass" ? say("pass") : turn)).join(" ");
}

/**
 * A square, or a piece in hand by its letter, as people of this language write it.
 * @param {string} game
 * @param {string} place
 */
export function placeText(game, place) {
  if (look(game).style !== "pieces") return place;
  if (place.length === 1) return say("in-hand", { piece: say("piece-" + place.toUpperCase()) });
  const japanese = (notation || (language === "ja" ? "japanese" : "western")) === "japanese" && hasKanji();
  return japanese ? "１２３４５６７８９"[Number(place[0]) - 1] + "一二三四五六七八九"[place.charCodeAt(1) - 97] : place;
}

/**
 * Texts one after the other.
 * @param {string[]} texts
 */
export const listed = (texts) => texts.join(language === "ja" ? "、" : ", ");

/**
 * Seconds as a clock shows them.
 * @param {number} ms
 */
export function clockText(ms) {
  const tenths = Math.max(0, Math.ceil(ms / 100));
  if (tenths < 100) return (tenths / 10).toFixed(1);
  const seconds = Math.ceil(ms / 1000), two = (/** @type {number} */ n) => String(n).padStart(2, "0");
  const hours = Math.floor(seconds / 3600);
  return (hours ? hours + ":" + two(Math.floor(seconds / 60) % 60) : Math.floor(seconds / 60)) + ":" + two(seconds % 60);
}

/**
 * `1.2 M`, `34 k`.
 * @param {number} n
 */
export const short = (n) => (n >= 1e6 ? (n / 1e6).toFixed(1) + " M" : n >= 1e3 ? (n / 1e3).toFixed(0) + " k" : String(n));
