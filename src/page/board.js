// One board for all three games: draws a picture of a position, and tells what a person does with it.
import { calm, draw } from "./dom.js";
import { drawPiece } from "./pieces.js";
import { colourName, pieceName, say } from "./words.js";

const CELL = 60;
const RANKS = "一二三四五六七八九";
const HAND_ORDER = ["R", "B", "G", "S", "N", "L", "P"];
/** A press becomes a drag after so many pixels. */
const DRAG = 6;

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
const isDark = (picture, man) => (man.side === "first") === (picture.style !== "stones");

/**
 * A letter of SFEN.
 * @param {Man} man
 */
const letterOf = (man) => (man.side === "first" ? man.kind : man.kind.toLowerCase());

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

/**
 * @typedef {{
 *   turn?: (turn: string) => void,
 *   refused?: (square: string) => void,
 *   pick?: (square: string) => void,
 *   hover?: (square: string | null) => void,
 * }} Answers
 */

export class Board {
  /** @param {HTMLElement} host @param {Answers} answers */
  constructor(host, answers = {}) {
    this.host = host;
    this.answers = answers;
    /** @type {Manner} */
    this.manner = { flipped: false, pieces: "one", coordinates: true };
    /** @type {Picture | null} */
    this.picture = null;
    /** @type {Overlay} */
    this.overlay = {};
    /**
     * Where a turn begins that is not complete yet.
     * @type {string | null}
     */
    this.from = null;
    /** The square under the keyboard. */
    this.cursor = 0;
    this.shape = "";
    /** @type {Map<number, SVGElement>} */
    this.discs = new Map();
    /** @type {Record<string, SVGElement>} */
    this.layers = {};
    /** @type {SVGElement[]} */
    this.cells = [];
    /** @type {{ id: number, x: number, y: number, from: string, ghost: SVGElement | null, again: boolean } | null} */
    this.drag = null;
  }

  /**
   * Shows a position.
   * @param {Picture} picture
   * @param {Overlay} overlay
   */
  show(picture, overlay = {}) {
    const before = this.picture;
    this.picture = picture;
    this.overlay = overlay;
    const shape = [picture.style, picture.columns, picture.rows, this.manner.flipped, this.manner.coordinates, this.manner.pieces === "letters" || this.manner.pieces === "pictures"].join();
    if (shape !== this.shape) {
      this.shape = shape;
      this.build();
    }
    if (this.from && !(overlay.choices || []).some((choice) => choice.from === this.from)) this.from = null;
    if (this.shogi) this.drawMen(before);
    else this.drawDiscs(picture.style === "stones");
    this.drawOver();
    this.host.dataset.board = boardText(picture);
  }

  /** Draws everything anew, for another manner. */
  redraw() {
    this.shape = "";
    if (this.picture) this.show(this.picture, this.overlay);
  }

  get shogi() { return this.picture?.style === "pieces"; }

  /**
   * The picture in force.
   * @returns {Picture}
   */
  get now() {
    if (!this.picture) throw new Error("no position is shown");
    return this.picture;
  }

  // --- geometry ---

  /** Left and top of the field, and the size of it all. */
  get frame() {
    const { columns, rows, style } = this.now, edge = this.manner.coordinates ? 26 : 12;
    if (style === "pieces") return { left: 14, top: 72 + edge, width: columns * CELL + 14 + edge, height: rows * CELL + 2 * 72 + edge + 12 };
    if (style === "discs") return { left: edge, top: edge, width: columns * CELL + edge + 12, height: rows * CELL + edge + 12 };
    return { left: edge, top: 10, width: columns * CELL + edge + 10, height: rows * CELL + edge + 10 };
  }

  /**
   * Column and row as they are seen.
   * @param {number} index
   */
  seen(index) {
    const { columns, rows } = this.now, column = index % columns, row = Math.floor(index / columns);
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
    const { left, top, height } = this.frame, step = 68;
    return low ? [left + 9 * CELL - 30 - (6 - place) * step, height - 37] : [left + 30 + (6 - place) * step, 37 + 0 * top];
  }

  /**
   * Where an arrow begins or ends: a square, or a letter of the hand.
   * @param {string} name
   */
  point(name) {
    const index = name.length === 1 ? -1 : squareIndex(this.now, name);
    if (index >= 0) return this.middle(index);
    return this.handPlace(name === name.toUpperCase() ? 0 : 1, name);
  }

  // --- what never changes while the board stays the same ---

  build() {
    const { style: look, columns, rows } = this.now, { left, top, width, height } = this.frame;
    this.host.replaceChildren();
    this.discs.clear();
    const svg = draw(this.host, "svg", { viewBox: `0 0 ${width} ${height}`, class: `board ${look}`, role: "group", "aria-label": say("board") });
    this.svg = svg;
    const defs = draw(svg, "defs");
    const gradient = draw(defs, "radialGradient", { id: "stone-light", cx: "38%", cy: "32%", r: "75%" });
    draw(gradient, "stop", { offset: "0", "stop-color": "#ffffff" });
    draw(gradient, "stop", { offset: "1", "stop-color": "#d9d4c7" });
    const dark = draw(defs, "radialGradient", { id: "stone-dark", cx: "38%", cy: "30%", r: "80%" });
    draw(dark, "stop", { offset: "0", "stop-color": "#5b5a58" });
    draw(dark, "stop", { offset: ".55", "stop-color": "#232221" });
    draw(dark, "stop", { offset: "1", "stop-color": "#0f0f0e" });
    const right = left + columns * CELL, low = top + rows * CELL;
    if (look === "pieces") {
      for (const y of [0, height - 66]) draw(svg, "rect", { class: "stand", x: left, y, width: 9 * CELL, height: 66, rx: 8 });
      draw(svg, "rect", { class: "wood", x: 0, y: 72, width, height: height - 144, rx: 8 });
    } else draw(svg, "rect", { class: look === "stones" ? "wood" : "felt", width, height, rx: 10 });
    this.layers.under = draw(svg, "g");
    const line = look === "discs" ? "feltline" : "woodline", inset = look === "stones" ? CELL / 2 : 0;
    let path = "";
    for (let i = 0; i <= columns - (inset ? 1 : 0); i++) path += `M${left + inset + i * CELL} ${top + inset}V${low - inset}`;
    for (let i = 0; i <= rows - (inset ? 1 : 0); i++) path += `M${left + inset} ${top + inset + i * CELL}H${right - inset}`;
    draw(svg, "path", { class: line, d: path });
    draw(svg, "rect", { class: line + " rim", x: left + inset, y: top + inset, width: columns * CELL - 2 * inset, height: rows * CELL - 2 * inset });
    for (const [column, row] of this.stars()) draw(svg, "circle", { class: line + " star", cx: left + column * CELL, cy: top + row * CELL, r: look === "stones" ? 4.5 : 3.5 });
    if (this.manner.coordinates) this.drawCoordinates(svg);
    for (const layer of ["field", "pieces", "over", "cells", "ghost"]) this.layers[layer] = draw(svg, "g", { class: "layer-" + layer });
    this.layers.ghost.setAttribute("pointer-events", "none");
    this.layers.over.setAttribute("pointer-events", "none");
    this.layers.pieces.setAttribute("pointer-events", "none");
    this.buildCells();
  }

  /** Corner points that guide the eye, in cells from the corner. */
  stars() {
    const { style, columns } = this.now;
    if (style === "pieces") return [[3, 3], [6, 3], [3, 6], [6, 6]];
    if (style === "discs") return [[2, 2], [6, 2], [2, 6], [6, 6]];
    if (columns < 7) return columns % 2 ? [[columns / 2, columns / 2]] : [];
    const inset = (columns >= 12 ? 3 : 2) + 0.5, places = [inset, columns - inset];
    if (columns % 2 && columns >= 9) places.push(columns / 2);
    const all = places.flatMap((x) => places.map((y) => [x, y]));
    return columns < 15 ? all.filter(([x, y]) => (x === columns / 2) === (y === columns / 2)) : all;
  }

  /** @param {SVGElement} svg */
  drawCoordinates(svg) {
    const { style, columns, rows } = this.now, { left, top } = this.frame, flipped = this.manner.flipped;
    const kind = style === "discs" ? "coord on-felt" : "coord", letters = this.manner.pieces === "letters" || this.manner.pieces === "pictures";
    for (let i = 0; i < columns; i++) {
      const column = flipped ? columns - 1 - i : i, x = left + i * CELL + CELL / 2;
      const text = style === "pieces" ? String(9 - column) : String.fromCharCode(97 + column);
      draw(svg, "text", { class: kind, x, y: style === "stones" ? top + rows * CELL + 15 : top - 13 }, text);
    }
    for (let i = 0; i < rows; i++) {
      const row = flipped ? rows - 1 - i : i, y = top + i * CELL + CELL / 2;
      const text = style === "pieces" ? (letters ? "abcdefghi" : RANKS)[row] : String(style === "stones" ? rows - row : row + 1);
      draw(svg, "text", { class: kind, x: style === "pieces" ? left + 9 * CELL + 14 : left - 14, y }, text);
    }
  }

  buildCells() {
    const { columns, rows } = this.now, layer = this.layers.cells;
    this.cells = [];
    for (let index = 0; index < columns * rows; index++) {
      const [x, y] = this.middle(index);
      const cell = draw(layer, "rect", { class: "cell", x: x - CELL / 2, y: y - CELL / 2, width: CELL, height: CELL, role: "button", tabindex: -1, "data-square": this.now.names[index] });
      this.cells.push(cell);
    }
    this.cursor = Math.min(this.cursor, this.cells.length - 1);
    this.cells[this.cursor]?.setAttribute("tabindex", "0");
    layer.addEventListener("pointerdown", (event) => this.press(/** @type {PointerEvent} */ (event)));
    layer.addEventListener("pointermove", (event) => this.move(/** @type {PointerEvent} */ (event)));
    layer.addEventListener("pointerup", (event) => this.release(/** @type {PointerEvent} */ (event)));
    layer.addEventListener("pointercancel", () => this.dropGhost());
    layer.addEventListener("pointerleave", () => this.answers.hover?.(null));
    layer.addEventListener("keydown", (event) => this.key(/** @type {KeyboardEvent} */ (event)));
  }

  // --- what the position changes ---

  /** @param {Picture | null} before */
  drawMen(before) {
    const { cells, hands, check, names } = this.now, layer = this.layers.pieces, field = this.layers.field;
    layer.replaceChildren();
    field.replaceChildren();
    for (const name of this.overlay.last || []) this.tint(field, name, "last");
    if (check !== null) this.tint(field, names[check], "check");
    cells.forEach((man, index) => {
      if (!man) return;
      const [x, y] = this.middle(index);
      this.drawMan(layer, letterOf(man), x, y).dataset.at = names[index];
    });
    hands.forEach((hand, side) => {
      for (const { kind, count } of hand) {
        const [x, y] = this.handPlace(side, kind), held = side ? kind.toLowerCase() : kind;
        this.drawMan(layer, held, x, y).dataset.at = held;
        if (count < 2) continue;
        draw(layer, "circle", { class: "badge", cx: x + 22, cy: y - 20, r: 12 });
        draw(layer, "text", { class: "count", x: x + 22, y: y - 19.5 }, String(count));
      }
    });
    this.glide(before);
    this.nameCells((man) => pieceName(letterOf(man)));
    this.buildHands();
  }

  /** @param {Element} layer @param {string} cell @param {number} x @param {number} y */
  drawMan(layer, cell, x, y) {
    const white = cell !== cell.toUpperCase();
    const place = draw(layer, "g", { class: "man" });
    const turned = white !== this.manner.flipped;
    drawPiece(draw(place, "g", { transform: `translate(${x} ${y}) scale(${(turned ? -1 : 1) * CELL / 100} ${(turned ? -1 : 1) * CELL / 100})` }), cell, this.manner.pieces);
    return place;
  }

  /**
   * The piece that just moved comes from where it stood.
   * @param {Picture | null} before
   */
  glide(before) {
    const last = this.overlay.last || [];
    if (!before || calm() || last.length < 2 || boardText(before) === boardText(this.now) || this.skipGlide) return;
    const [from, to] = [last[0], last[last.length - 1]].map((name) => this.point(name));
    const man = this.layers.pieces.querySelector(`[data-at="${CSS.escape(last[last.length - 1])}"]`);
    man?.animate([{ transform: `translate(${from[0] - to[0]}px, ${from[1] - to[1]}px)` }, { transform: "none" }], { duration: 140, easing: "ease-out" });
  }

  /** What is held can be pressed. */
  buildHands() {
    const layer = this.layers.cells;
    layer.querySelectorAll("[data-hand]").forEach((node) => node.remove());
    const { hands } = this.now, movable = this.starts();
    hands.forEach((hand, side) => {
      for (const { kind, count } of hand) {
        const name = side ? kind.toLowerCase() : kind, [x, y] = this.handPlace(side, kind);
        const cell = draw(layer, "rect", { class: "cell" + (movable.has(name) ? " mine" : ""), x: x - 32, y: y - 32, width: 64, height: 64, role: "button", tabindex: movable.has(name) ? 0 : -1, "data-hand": name });
        cell.setAttribute("aria-label", say("hand-of", { colour: colourName("shogi", side), piece: say("piece-" + kind), count }));
      }
    });
  }

  /** @param {boolean} stones */
  drawDiscs(stones) {
    const { cells, names } = this.now, last = this.overlay.last || [], layer = this.layers.pieces, radius = CELL * (stones ? 0.475 : 0.42);
    cells.forEach((man, index) => {
      const disc = this.discs.get(index), colour = man && (isDark(this.now, man) ? "b" : "w");
      if (!colour) {
        disc?.remove();
        this.discs.delete(index);
        return;
      }
      if (disc?.dataset.colour === colour) return;
      if (disc) return this.turnOver(disc, colour, last.length ? this.distance(index, last[0]) : 0);
      const [x, y] = this.middle(index);
      const group = draw(layer, "g", { class: "disc", transform: `translate(${x} ${y})` });
      const face = draw(group, "g", { class: `face ${colour}` });
      draw(face, "circle", { class: "body", r: radius });
      if (!stones) draw(face, "circle", { class: "ring", r: radius * 0.78 });
      group.dataset.colour = colour;
      this.discs.set(index, group);
      if (last.includes(names[index]) && !calm()) face.animate([{ transform: "scale(1.25)", opacity: 0.3 }, { transform: "none", opacity: 1 }], { duration: 140, easing: "ease-out" });
    });
    this.nameCells((man) => say(isDark(this.now, man) ? "black" : "white"));
  }

  /**
   * Cells between two squares.
   * @param {number} index
   * @param {string} name
   */
  distance(index, name) {
    const other = squareIndex(this.now, name), { columns } = this.now;
    return Math.max(Math.abs(index % columns - other % columns), Math.abs(Math.floor(index / columns) - Math.floor(other / columns)));
  }

  /** @param {SVGElement} disc @param {string} cell @param {number} steps from the stone that did it */
  turnOver(disc, cell, steps) {
    disc.dataset.colour = cell;
    const face = /** @type {SVGElement} */ (disc.firstElementChild);
    if (calm()) return face.setAttribute("class", `face ${cell}`);
    const delay = Math.min(steps, 7) * 35;
    const away = face.animate([{ transform: "scaleX(1)" }, { transform: "scaleX(.04)" }], { duration: 120, delay, easing: "ease-in", fill: "forwards" });
    away.onfinish = () => {
      face.setAttribute("class", `face ${disc.dataset.colour}`);
      face.animate([{ transform: "scaleX(.04)" }, { transform: "scaleX(1)" }], { duration: 140, easing: "ease-out" });
      away.cancel();
    };
  }

  /** @param {Element} layer @param {string} name @param {string} kind */
  tint(layer, name, kind) {
    if (name.length === 1) return;
    const index = squareIndex(this.now, name);
    if (index < 0) return;
    const [x, y] = this.middle(index);
    draw(layer, "rect", { class: "tint " + kind, x: x - CELL / 2, y: y - CELL / 2, width: CELL, height: CELL });
  }

  /**
   * Squares get names for those who do not see them.
   * @param {(man: Man) => string} named
   */
  nameCells(named) {
    const { cells, names } = this.now;
    this.cells.forEach((cell, index) => {
      const man = cells[index];
      cell.setAttribute("aria-label", `${names[index]} ${man ? named(man) : say("empty")}`);
    });
  }

  // --- hints, targets, arrows ---

  /** Where turns may begin: squares and letters of the hand. */
  starts() {
    return new Set((this.overlay.choices || []).map((choice) => choice.from).filter(Boolean));
  }

  drawOver() {
    const { over, under } = this.layers, { choices = [], arrows = [], marks = [], territory } = this.overlay;
    over.replaceChildren();
    under.replaceChildren();
    const placing = choices.filter((choice) => choice.from === this.from);
    const starts = this.starts();
    const targets = new Set(placing.map((choice) => choice.to));
    this.cells.forEach((cell) => {
      const name = cell.dataset.square || "";
      cell.classList.toggle("mine", starts.has(name));
      cell.classList.toggle("target", targets.has(name));
      cell.classList.toggle("from", this.from === name);
    });
    if (territory) this.now.territory.forEach((points, side) => {
      for (const index of points) {
        const [x, y] = this.middle(index), colour = isDark(this.now, { side: side ? "second" : "first", kind: "" }) ? "b" : "w";
        draw(over, "rect", { class: "territory " + colour, x: x - 8, y: y - 8, width: 16, height: 16, rx: 3 });
      }
    });
    if (this.from) {
      const [x, y] = this.point(this.from);
      draw(this.shogi ? this.layers.field : over, "rect", { class: "tint from", x: x - CELL / 2, y: y - CELL / 2, width: CELL, height: CELL });
    } else this.layers.field.querySelectorAll(".tint.from").forEach((node) => node.remove());
    const { cells } = this.now;
    if (this.now.style !== "stones") for (const name of targets) {
      const index = squareIndex(this.now, name), [x, y] = this.middle(index);
      if (cells[index]) draw(over, "circle", { class: "aim take", cx: x, cy: y, r: CELL * 0.46 });
      else draw(over, "circle", { class: "aim", cx: x, cy: y, r: 8.5 });
    }
    if (!this.shogi) this.drawLast(over);
    for (const mark of marks) this.drawMark(over, mark);
    for (const arrow of arrows) this.drawArrow(over, arrow);
  }

  /**
   * A dot on what was put there, a ring on what turned over.
   * @param {Element} layer
   */
  drawLast(layer) {
    const { last = [], turned = [] } = this.overlay;
    for (const name of turned) {
      const [x, y] = this.point(name);
      draw(layer, "circle", { class: "turned", cx: x, cy: y, r: 15 });
    }
    for (const name of last) {
      const [x, y] = this.point(name);
      draw(layer, "circle", { class: "new", cx: x, cy: y, r: 6.5 });
    }
  }

  /** @param {Element} layer @param {{ square: string, kind: string, text?: string }} mark */
  drawMark(layer, mark) {
    const [x, y] = this.point(mark.square);
    switch (mark.kind) {
      case "can-grow": draw(layer, "circle", { class: "mark can-grow", cx: x, cy: y, r: 20 }); break;
      case "grow": draw(layer, "circle", { class: "mark grow", cx: x, cy: y, r: 7 }); break;
      case "place": draw(layer, "circle", { class: "mark place", cx: x, cy: y, r: 4 }); break;
      case "balance": draw(layer, "rect", { class: "mark balance", x: x - 7, y: y - 7, width: 14, height: 14, transform: `rotate(45 ${x} ${y})` }); break;
      case "draft": draw(layer, "circle", { class: "mark draft", cx: x, cy: y, r: 9 }); break;
      case "captured": draw(layer, "circle", { class: "turned", cx: x, cy: y, r: 15 }); break;
      case "closed": draw(layer, "path", { class: "mark closed", d: `M${x - 8} ${y - 8}L${x + 8} ${y + 8}M${x + 8} ${y - 8}L${x - 8} ${y + 8}` }); break;
      case "better": case "played":
        draw(layer, "circle", { class: "mark " + mark.kind, cx: x, cy: y, r: 22 });
        break;
      default: break;
    }
    if (mark.text) {
      const group = draw(layer, "g", { class: "note " + mark.kind });
      const wide = Math.max(30, mark.text.length * 9 + 12);
      draw(group, "rect", { x: x - wide / 2, y: y - 12, width: wide, height: 24, rx: 12 });
      draw(group, "text", { x, y: y + 1 }, mark.text);
    }
  }

  /** @param {Element} layer @param {{ from: string, to: string, kind: string, label?: string }} arrow */
  drawArrow(layer, arrow) {
    const [fromX, fromY] = this.point(arrow.from), [toX, toY] = this.point(arrow.to);
    const length = Math.hypot(toX - fromX, toY - fromY);
    if (!length) return;
    const [x, y] = [(toX - fromX) / length, (toY - fromY) / length], [tipX, tipY] = [toX - x * 4, toY - y * 4];
    const [neckX, neckY] = [tipX - x * 22, tipY - y * 22];
    const group = draw(layer, "g", { class: "arrow " + arrow.kind });
    draw(group, "path", { class: "shaft", d: `M${fromX + x * 14} ${fromY + y * 14}L${neckX} ${neckY}` });
    draw(group, "path", { class: "head", d: `M${tipX} ${tipY}L${neckX - y * 13} ${neckY + x * 13}L${neckX + y * 13} ${neckY - x * 13}Z` });
    if (arrow.label) {
      const wide = arrow.label.length * 9 + 14, part = length > 1.6 * CELL ? 0.5 : -0.12, [midX, midY] = [fromX + (toX - fromX) * part, fromY + (toY - fromY) * part];
      draw(group, "rect", { class: "flag", x: midX - wide / 2, y: midY - 12, width: wide, height: 24, rx: 12 });
      draw(group, "text", { x: midX, y: midY + 1 }, arrow.label);
    }
  }

  // --- what a person does ---

  /**
   * The name of what is under the pointer.
   * @param {PointerEvent} event
   */
  under(event) {
    const node = document.elementFromPoint(event.clientX, event.clientY);
    if (!(node instanceof SVGElement) || !this.layers.cells.contains(node)) return null;
    return node.dataset.square || node.dataset.hand || null;
  }

  /** @param {PointerEvent} event */
  press(event) {
    if (event.button !== 0) return;
    const name = this.under(event);
    if (!name) return;
    const again = this.from === name;
    if (this.starts().has(name)) {
      event.preventDefault();
      this.drag = { id: event.pointerId, x: event.clientX, y: event.clientY, from: name, ghost: null, again };
      if (!again && !this.reaches(name)) {
        this.from = name;
        this.drawOver();
      }
      this.layers.cells.setPointerCapture?.(event.pointerId);
    }
  }

  /**
   * Whether the turn that was begun may end on `name`.
   * @param {string} name
   */
  reaches(name) {
    return (this.overlay.choices || []).some((choice) => choice.from === this.from && choice.to === name && this.from !== null);
  }

  /** @param {PointerEvent} event */
  move(event) {
    const drag = this.drag;
    if (!drag) return this.answers.hover?.(this.under(event));
    if (drag.id !== event.pointerId) return;
    if (!drag.ghost && Math.hypot(event.clientX - drag.x, event.clientY - drag.y) > DRAG) {
      const man = this.layers.pieces.querySelector(`[data-at="${CSS.escape(drag.from)}"]`);
      if (!man || this.from !== drag.from) return;
      drag.ghost = /** @type {SVGElement} */ (man.cloneNode(true));
      man.classList.add("lifted");
      this.layers.ghost.append(drag.ghost);
    }
    if (!drag.ghost || !this.svg) return;
    const box = this.svg.getBoundingClientRect(), scale = this.frame.width / box.width, [x, y] = this.point(drag.from);
    drag.ghost.setAttribute("transform", `translate(${(event.clientX - box.left) * scale - x} ${(event.clientY - box.top) * scale - y})`);
  }

  dropGhost() {
    this.drag?.ghost?.remove();
    this.layers.pieces?.querySelector(".lifted")?.classList.remove("lifted");
    this.drag = null;
  }

  /** @param {PointerEvent} event */
  release(event) {
    const drag = this.drag, name = this.under(event);
    this.dropGhost();
    if (drag?.ghost) {
      if (name && name !== drag.from) {
        this.skipGlide = true;
        this.choose(name);
        setTimeout(() => { this.skipGlide = false; }, 400);
      }
      return;
    }
    if (!name) return;
    const index = squareIndex(this.now, name);
    if (index >= 0 && name.length > 1) this.cursor = index;
    if (drag && this.from === drag.from && !drag.again) return;
    if (drag?.again) return this.cancel();
    this.choose(name);
  }

  /** Forgets the turn that was begun. */
  cancel() {
    this.from = null;
    this.drawOver();
  }

  /**
   * A square or a held piece was chosen.
   * @param {string} name
   */
  choose(name) {
    if (this.answers.pick) return this.answers.pick(name);
    const choices = this.overlay.choices || [];
    const choice = choices.find((choice) => choice.from === this.from && choice.to === name);
    if (choice) {
      const from = this.from;
      this.from = null;
      if (choice.turns.length === 1) return this.answers.turn?.(choice.turns[0]);
      return this.askPromotion(from || "", choice);
    }
    if (this.starts().has(name)) {
      this.from = this.from === name ? null : name;
      return this.drawOver();
    }
    const begun = this.from !== null;
    if (begun) this.cancel();
    this.answers.refused?.(name);
  }

  /**
   * Promote, or not?
   * @param {string} from
   * @param {Choice} choice
   */
  askPromotion(from, choice) {
    const layer = this.layers.ghost, { cells } = this.now, { width, height } = this.frame;
    layer.setAttribute("pointer-events", "all");
    layer.replaceChildren();
    const close = () => {
      layer.replaceChildren();
      layer.setAttribute("pointer-events", "none");
      this.drawOver();
    };
    draw(layer, "rect", { class: "veil", width, height }).addEventListener("click", close);
    const man = cells[squareIndex(this.now, from)], plain = man ? letterOf(man) : "P", [x, y] = this.point(choice.to);
    const left = Math.max(8, Math.min(width - 152, x - 72)), top = Math.max(8, Math.min(height - 92, y - 42));
    const ask = draw(layer, "g", { class: "ask", role: "dialog", "aria-label": say("promote?") });
    draw(ask, "rect", { x: left, y: top, width: 144, height: 84, rx: 12 });
    const turns = [...choice.turns].sort((a, b) => b.length - a.length);
    turns.forEach((turn, place) => {
      const promotes = turn.endsWith("+"), button = draw(ask, "g", { class: "answer", role: "button", tabindex: 0, "data-promote": promotes ? "yes" : "no", "aria-label": say(promotes ? "promote" : "stay") });
      draw(button, "rect", { x: left + 6 + place * 68, y: top + 6, width: 64, height: 72, rx: 8 });
      this.drawMan(button, (promotes ? "+" : "") + plain, left + 38 + place * 68, top + 42);
      const answer = () => { close(); this.answers.turn?.(turn); };
      button.addEventListener("click", answer);
      button.addEventListener("keydown", (event) => {
        const { key } = /** @type {KeyboardEvent} */ (event);
        if (key === "Enter" || key === " ") { event.preventDefault(); answer(); }
        if (key === "Escape") close();
        if (key === "ArrowLeft" || key === "ArrowRight") { event.stopPropagation(); /** @type {SVGElement} */ (ask.querySelectorAll(".answer")[place ? 0 : 1]).focus(); }
      });
      if (!place) button.focus();
    });
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const { columns, rows } = this.now;
    const steps = /** @type {Record<string, number[]>} */ ({ ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] });
    const target = /** @type {SVGElement} */ (event.target);
    if (event.key === "Escape" && this.from) {
      event.stopPropagation();
      return this.cancel();
    }
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      event.stopPropagation();
      const name = target.dataset.square || target.dataset.hand;
      if (name) this.choose(name);
      const again = name && this.layers.cells.querySelector(`[data-square="${CSS.escape(name)}"], [data-hand="${CSS.escape(name)}"]`);
      if (again instanceof SVGElement) again.focus();
      return;
    }
    const step = steps[event.key];
    if (!step || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    const turn = this.manner.flipped ? -1 : 1, [right, down] = [step[0] * turn, step[1] * turn];
    const column = Math.max(0, Math.min(columns - 1, this.cursor % columns + right));
    const row = Math.max(0, Math.min(rows - 1, Math.floor(this.cursor / columns) + down));
    this.cells[this.cursor]?.setAttribute("tabindex", "-1");
    this.cursor = row * columns + column;
    this.cells[this.cursor].setAttribute("tabindex", "0");
    this.cells[this.cursor].focus();
    this.answers.hover?.(this.now.names[this.cursor]);
  }

  /** The board as a file of its own: everything it needs is inside. */
  asSvg() {
    if (!this.svg) return "";
    const copy = /** @type {SVGElement} */ (this.svg.cloneNode(true)), { width, height } = this.frame;
    copy.querySelectorAll(".layer-cells, .layer-ghost").forEach((node) => node.remove());
    copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    copy.setAttribute("width", String(width));
    copy.setAttribute("height", String(height));
    const originals = [...this.svg.querySelectorAll("*")].filter((node) => !node.closest(".layer-cells, .layer-ghost"));
    const copies = [...copy.querySelectorAll("*")];
    const kept = ["fill", "stroke", "stroke-width", "opacity", "font-family", "font-size", "font-weight", "text-anchor", "dominant-baseline", "stroke-dasharray", "stroke-linecap"];
    originals.forEach((node, index) => {
      const style = getComputedStyle(node), target = copies[index];
      for (const name of kept) {
        const value = style.getPropertyValue(name);
        if (value && value !== "none" || name === "fill" || name === "stroke") target?.setAttribute(name, value);
      }
      target?.removeAttribute("class");
    });
    return new XMLSerializer().serializeToString(copy);
  }
}
