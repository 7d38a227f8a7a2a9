// What the pages of finished games share: positions in few signs, as the reports write them.
import { look } from "./words.js";

/**
 * A cell's text as the man that stands there: empty, a letter of SFEN, or the first letter of a colour.
 * @param {string} game
 * @param {string} text
 * @returns {Man | null}
 */
export function manOf(game, text) {
  if (!text) return null;
  const { style, colours } = look(game);
  if (style === "pieces") return { side: text === text.toUpperCase() ? "first" : "second", kind: text.toUpperCase() };
  return { side: text === colours[0][0] ? "first" : "second", kind: "" };
}

/**
 * What is held, from `R B2 P11`.
 * @param {string} text
 */
export const heldOf = (text) => text.split(" ").filter(Boolean).map((held) => ({ kind: held[0], count: Number(held.slice(1)) || 1 }));
