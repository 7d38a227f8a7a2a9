// What can be read off the picture of a position.

/**
 * The cell of a square's name; -1 if there is none.
 * @param {Picture} picture
 * @param {string} name
 */
export const squareIndex = (picture, name) => picture.names.indexOf(name);

/**
 * Whether a man is dark: Black begins shogi and Reversi, White begins Sygo.
 * @param {Picture} picture
 * @param {Man} man
 */
export const isDark = (picture, man) => (man.side === "first") === (picture.style !== "stones");

/**
 * A letter of SFEN.
 * @param {Man} man
 */
export const letterOf = (man) => (man.side === "first" ? man.kind : man.kind.toLowerCase());

/**
 * A position in as few signs as possible.
 * @param {Picture} picture
 */
export const boardText = (picture) => picture.cells.map((man) => (!man ? "." : picture.style === "pieces" ? letterOf(man) : isDark(picture, man) ? "b" : "w")).join("");

/**
 * Where a turn begins and what it touches: the square or the hand's letter it comes from, and its squares, the last one first in shogi.
 * @param {Picture} picture @param {string} turn in the words of the protocol
 * @returns {{ from: string | null, squares: string[] }}
 */
export function endsOf(picture, turn) {
  if (picture.style === "pieces") {
    if (turn[1] === "*") return { from: picture.toMove === "second" ? turn[0].toLowerCase() : turn[0], squares: [turn.slice(2, 4)] };
    return { from: turn.slice(0, 2), squares: [turn.slice(2, 4)] };
  }
  const squares = turn.replace(/^\+/, "").split(/[,@]/).filter((name) => squareIndex(picture, name) >= 0);
  return { from: null, squares };
}
