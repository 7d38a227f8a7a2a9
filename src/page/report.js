// What the pages of finished games share: positions in few signs, as the reports write them.

/**
 * The names of the cells of a board, row by row from the top.
 * @param {GameName} game
 * @param {number} side
 */
export const cellNames = (game, side) => Array.from({ length: side * side }, (_, index) => {
  const column = index % side, row = Math.floor(index / side);
  if (game === "shogi") return `${9 - column}${"abcdefghi"[row]}`;
  return String.fromCharCode(97 + column) + (game === "sygo" ? side - row : row + 1);
});

/**
 * A cell's text as the man that stands there: empty, a letter of SFEN, or `b` and `w`.
 * @param {GameName} game
 * @param {string} text
 * @returns {Man | null}
 */
export function manOf(game, text) {
  if (!text) return null;
  if (game === "shogi") return { side: text === text.toUpperCase() ? "first" : "second", kind: text.toUpperCase() };
  return { side: (text === "b") === (game === "reversi") ? "first" : "second", kind: "" };
}

/**
 * What is held, from `R B2 P11`.
 * @param {string} text
 */
export const heldOf = (text) => text.split(" ").filter(Boolean).map((held) => ({ kind: held[0], count: Number(held.slice(1)) || 1 }));

/**
 * How the board of a game looks.
 * @param {GameName} game
 * @returns {Picture["style"]}
 */
export const styleOf = (game) => (game === "shogi" ? "pieces" : game === "reversi" ? "discs" : "stones");
