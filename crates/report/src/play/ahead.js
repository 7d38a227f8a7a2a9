// A turn on the board before the program has answered. What the page cannot know (checks, stones that Sygo captures)
// comes with the answer.
import { endsOf, squareIndex } from "../board/picture.js";

/**
 * What the board shows until the answer comes: at which node, the stones of a turn of Sygo that goes on, and whether the turn is complete.
 * @typedef {{ node: number, picture: Picture, last: string[], turned: string[], stones: string[], done: boolean }} Expected
 */

/**
 * What a wish makes of the board; nothing if it puts no man on it.
 * @param {PlayState} state
 * @param {Expected | null} before what is expected already
 * @param {{ op?: string, turn?: string, point?: string }} wish
 * @returns {Expected | null}
 */
export function expect(state, before, { op, turn = "", point = "" }) {
  const { node, draft } = state, picture = before?.picture || state.picture;
  if (before?.done) return null;
  if (op === "turn") {
    const after = afterTurn(picture, turn);
    return after && { node, stones: [], done: true, ...after };
  }
  if (op !== "stone" || !draft?.points[point] || squareIndex(picture, point) < 0) return null;
  const grows = draft.points[point] === "grow", stones = [...(before?.stones || []), ...(grows ? [point] : [])];
  return { node, stones, done: !grows, turned: [], last: grows ? [] : [...draft.stones, ...stones, point], picture: put(picture, [[point, own(picture, "")]]) };
}

/** @param {Picture} picture @param {string} kind @returns {Man} */
const own = (picture, kind) => ({ side: picture.toMove, kind });

/**
 * The same position with other men, or none, on some squares.
 * @param {Picture} picture @param {[string, Man | null][]} men
 * @returns {Picture}
 */
function put(picture, men) {
  const cells = [...picture.cells];
  for (const [name, man] of men) cells[squareIndex(picture, name)] = man;
  const [first, second] = picture.territory.map((points) => points.filter((index) => !cells[index]));
  return { ...picture, cells, check: null, territory: [first, second] };
}

/** @param {Picture} picture @param {string} turn in the words of the protocol */
function afterTurn(picture, turn) {
  const { from, squares } = endsOf(picture, turn), [to] = squares;
  if (!to) return null;
  if (from) return { picture: moved(picture, from, to, turn.endsWith("+")), last: [from, to], turned: [] };
  const turned = picture.style === "discs" ? flipped(picture, to) : [];
  return { picture: put(picture, [...squares, ...turned].map((name) => [name, own(picture, "")])), last: squares, turned };
}

/**
 * A move or a drop of shogi.
 * @param {Picture} picture @param {string} from @param {string} to @param {boolean} promotes
 */
function moved(picture, from, to, promotes) {
  const side = picture.toMove === "second" ? 1 : 0, drops = from.length === 1;
  const man = drops ? null : picture.cells[squareIndex(picture, from)], taken = picture.cells[squareIndex(picture, to)];
  const after = put(picture, [[to, own(picture, (promotes ? "+" : "") + (man?.kind ?? from.toUpperCase()))]]);
  if (!drops) after.cells[squareIndex(picture, from)] = null;
  const held = new Map(picture.hands[side].map(({ kind, count }) => [kind, count]));
  const add = (/** @type {string} */ kind, /** @type {number} */ count) => held.set(kind, (held.get(kind) || 0) + count);
  if (drops) add(from.toUpperCase(), -1);
  if (taken) add(taken.kind.replace("+", ""), 1);
  const hand = [...held].map(([kind, count]) => ({ kind, count })).filter(({ count }) => count > 0), other = picture.hands[1 - side];
  after.hands = side ? [other, hand] : [hand, other];
  return after;
}

/**
 * The discs that one on `name` turns over: those between it and another one of its colour, in all eight directions.
 * @param {Picture} picture @param {string} name
 */
function flipped({ cells, columns, rows, names, toMove }, name) {
  const start = names.indexOf(name), found = [];
  for (const right of [-1, 0, 1]) for (const down of [-1, 0, 1]) {
    const line = [];
    for (let x = start % columns + right, y = Math.floor(start / columns) + down; right || down; x += right, y += down) {
      const man = x >= 0 && x < columns && y >= 0 && y < rows ? cells[y * columns + x] : null;
      if (man?.side === toMove) found.push(...line);
      if (!man || man.side === toMove) break;
      line.push(names[y * columns + x]);
    }
  }
  return found;
}
