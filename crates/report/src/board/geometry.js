// Where everything lies on a board, in the units of its drawing.
import { squareIndex } from "./picture.js";

/** The size of a cell. */
export const CELL = 60;
const HAND_ORDER = ["R", "B", "G", "S", "N", "L", "P"];

export class Geometry {
  /** @param {Picture} picture @param {Manner} manner */
  constructor(picture, manner) {
    this.picture = picture;
    this.manner = manner;
  }

  /** Left and top of the field, and the size of it all. */
  get frame() {
    const { columns, rows, style } = this.picture, edge = this.manner.coordinates ? 26 : 12;
    if (style === "pieces") return { left: 14, top: 72 + edge, width: columns * CELL + 14 + edge, height: rows * CELL + 2 * 72 + edge + 12 };
    if (style === "discs") return { left: edge, top: edge, width: columns * CELL + edge + 12, height: rows * CELL + edge + 12 };
    return { left: edge, top: 10, width: columns * CELL + edge + 10, height: rows * CELL + edge + 10 };
  }

  /**
   * Column and row as they are seen.
   * @param {number} index
   */
  seen(index) {
    const { columns, rows } = this.picture, column = index % columns, row = Math.floor(index / columns);
    return this.manner.flipped ? [columns - 1 - column, rows - 1 - row] : [column, row];
  }

  /**
   * The middle of a cell.
   * @param {number} index
   */
  middle(index) {
    const [column, row] = this.seen(index), { left, top } = this.frame;
    return [left + column * CELL + CELL / 2, top + row * CELL + CELL / 2];
  }

  /**
   * The middle of a held piece's place.
   * @param {number} side
   * @param {string} letter
   */
  handPlace(side, letter) {
    const low = (side === 0) !== this.manner.flipped, place = HAND_ORDER.indexOf(letter.toUpperCase());
    const { left, height } = this.frame, step = 68;
    return low ? [left + 9 * CELL - 30 - (6 - place) * step, height - 37] : [left + 30 + (6 - place) * step, 37];
  }

  /**
   * Where an arrow begins or ends: a square, or a letter of the hand.
   * @param {string} name
   */
  point(name) {
    const index = name.length === 1 ? -1 : squareIndex(this.picture, name);
    if (index >= 0) return this.middle(index);
    return this.handPlace(name === name.toUpperCase() ? 0 : 1, name);
  }
}
