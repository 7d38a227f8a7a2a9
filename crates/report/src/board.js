// One board for all three games: draws a position, and reports what a person does with it.
import { standalone } from "./board/file.js";
import { CELL, Geometry } from "./board/geometry.js";
import { drawGround } from "./board/ground.js";
import { drawArrow, drawLast, drawMark, drawTerritory } from "./board/overlay.js";
import { boardText, isDark, letterOf, squareIndex } from "./board/picture.js";
import { calm, draw } from "./dom.js";
import { drawPiece, drawShade } from "./pieces.js";
import { colourName, pieceName, say, tongue } from "./words.js";

/** A press becomes a drag after this many pixels. */
const DRAG = 6;

/**
 * @typedef {{
 *   turn?: (turn: string) => void,
 *   refused?: (square: string, from: string | null) => void,
 *   pick?: (square: string) => void,
 *   hover?: (square: string | null) => void,
 *   step?: (by: number) => void,
 *   moved?: (from: string, to: string | null) => void,
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
    /** What the cells of the hands show. */
    this.held = "";
    /**
     * Pieces by the square or the hand's letter where they lie, each with its badge.
     * @type {Map<string, SVGElement[]>}
     */
    this.men = new Map();
    /** Which squares are tinted for the last turn and a check. */
    this.tinted = "";
    /** @type {Map<number, SVGElement>} */
    this.discs = new Map();
    /** @type {Record<string, SVGElement>} */
    this.layers = {};
    /** @type {SVGElement[]} */
    this.cells = [];
    /** @type {{ id: number, x: number, y: number, from: string, ghost: SVGElement | null, again: boolean } | null} */
    this.drag = null;
    /**
     * Arrows and circles that a person drew on this position, by squares.
     * @type {Set<string>}
     */
    this.drawn = new Set();
    /** Where the right mouse button went down. */
    this.drawing = "";
    /** @type {[number, number] | null} */
    this.swipe = null;
  }

  /**
   * Shows a position.
   * @param {Picture} picture
   * @param {Overlay} overlay
   */
  show(picture, overlay = {}) {
    const before = this.picture;
    if (before && boardText(before) !== boardText(picture)) this.drawn.clear();
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

  /** Where everything lies. */
  get geometry() { return new Geometry(this.now, this.manner); }

  // --- what never changes while the board stays the same ---

  build() {
    const { style: look } = this.now, { width, height } = this.geometry.frame;
    this.host.replaceChildren();
    this.discs.clear();
    this.men.clear();
    this.held = this.tinted = "";
    const svg = draw(this.host, "svg", { viewBox: `0 0 ${width} ${height}`, class: `board ${look}`, role: "group", "aria-label": say("board") });
    this.svg = svg;
    this.layers.under = drawGround(svg, this.geometry);
    for (const layer of ["field", "pieces", "over", "cells", "ghost"]) this.layers[layer] = draw(svg, "g", { class: "layer-" + layer });
    this.layers.ghost.setAttribute("pointer-events", "none");
    this.layers.over.setAttribute("pointer-events", "none");
    this.layers.pieces.setAttribute("pointer-events", "none");
    this.buildCells();
  }

  buildCells() {
    const { columns, rows } = this.now, layer = this.layers.cells;
    this.cells = [];
    for (let index = 0; index < columns * rows; index++) {
      const [x, y] = this.geometry.middle(index);
      const cell = draw(layer, "rect", { class: "cell", x: x - CELL / 2, y: y - CELL / 2, width: CELL, height: CELL, role: "button", tabindex: -1, "data-square": this.now.names[index] });
      this.cells.push(cell);
    }
    this.cursor = Math.min(this.cursor, this.cells.length - 1);
    this.cells[this.cursor]?.setAttribute("tabindex", "0");
    layer.addEventListener("pointerdown", (event) => this.press(/** @type {PointerEvent} */ (event)));
    layer.addEventListener("pointermove", (event) => this.move(/** @type {PointerEvent} */ (event)));
    layer.addEventListener("pointerup", (event) => this.release(/** @type {PointerEvent} */ (event)));
    layer.addEventListener("contextmenu", (event) => event.preventDefault());
    layer.addEventListener("wheel", (event) => {
      if (!this.answers.step || event.ctrlKey || !event.deltaY) return;
      event.preventDefault();
      this.answers.step(Math.sign(event.deltaY));
    }, { passive: false });
    layer.addEventListener("pointercancel", () => this.dropGhost());
    layer.addEventListener("pointerleave", () => this.answers.hover?.(null));
    layer.addEventListener("keydown", (event) => this.key(/** @type {KeyboardEvent} */ (event)));
  }

  // --- what the position changes ---

  /** @param {Picture | null} before */
  drawMen(before) {
    const { cells, hands, check, names } = this.now, layer = this.layers.pieces, field = this.layers.field;
    const tinted = JSON.stringify([this.overlay.last, check]);
    if (this.tinted !== tinted) {
      this.tinted = tinted;
      field.replaceChildren();
      for (const name of this.overlay.last || []) this.tint(field, name, "last");
      if (check !== null) this.tint(field, names[check], "check");
    }
    /** @type {Map<string, { letter: string, x: number, y: number, count: number, shows: string }>} */
    const wanted = new Map();
    const want = (/** @type {string} */ place, /** @type {string} */ letter, /** @type {number[]} */ [x, y], count = 1) => wanted.set(place, { letter, x, y, count, shows: [letter, count, this.manner.pieces].join() });
    cells.forEach((man, index) => { if (man) want(names[index], letterOf(man), this.geometry.middle(index)); });
    hands.forEach((hand, side) => hand.forEach(({ kind, count }) => {
      const held = side ? kind.toLowerCase() : kind;
      want(held, held, this.geometry.handPlace(side, kind), count);
    }));
    // What stays as it is goes on gliding, and is not painted again.
    for (const [place, nodes] of this.men) if (wanted.get(place)?.shows !== nodes[0].dataset.shows) {
      for (const node of nodes) node.remove();
      this.men.delete(place);
    }
    for (const [place, { letter, x, y, count, shows }] of wanted) if (!this.men.has(place)) {
      const man = this.drawMan(layer, letter, x, y), nodes = [man];
      Object.assign(man.dataset, { at: place, shows });
      if (count > 1) nodes.push(draw(layer, "circle", { class: "badge", cx: x + 22, cy: y - 20, r: 12 }), draw(layer, "text", { class: "count", x: x + 22, y: y - 19.5 }, String(count)));
      this.men.set(place, nodes);
    }
    // The one that is dragged is drawn below the pointer.
    const { drag } = this;
    if (drag?.ghost) layer.querySelector(`[data-at="${CSS.escape(drag.from)}"]`)?.classList.add("lifted");
    this.glide(before);
    this.nameCells((man) => pieceName(letterOf(man)));
    this.buildHands();
  }

  /** @param {Element} layer @param {string} cell @param {number} x @param {number} y */
  drawMan(layer, cell, x, y) {
    const white = cell !== cell.toUpperCase();
    const place = draw(layer, "g", { class: "man" });
    const scale = (white === this.manner.flipped ? 1 : -1) * CELL / 100;
    drawShade(draw(place, "g", { transform: `translate(${x} ${y + 2}) scale(${scale})` }), cell);
    drawPiece(draw(place, "g", { transform: `translate(${x} ${y}) scale(${scale})` }), cell, this.manner.pieces);
    return place;
  }

  /**
   * The piece that just moved comes from where it stood.
   * @param {Picture | null} before
   */
  glide(before) {
    const last = this.overlay.last || [];
    if (!before || calm() || last.length < 2 || boardText(before) === boardText(this.now) || this.overlay.still) return;
    const [from, to] = [last[0], last[last.length - 1]].map((name) => this.geometry.point(name));
    const man = this.layers.pieces.querySelector(`[data-at="${CSS.escape(last[last.length - 1])}"]`);
    man?.animate([{ transform: `translate(${from[0] - to[0]}px, ${from[1] - to[1]}px)` }, { transform: "none" }], { duration: 140, easing: "ease-out" });
  }

  /** What is held can be pressed. The same cells stay, as one of them may have the focus. */
  buildHands() {
    const layer = this.layers.cells, { hands } = this.now, movable = this.starts();
    const held = JSON.stringify([hands, [...movable].filter((name) => name?.length === 1), tongue()]);
    if (this.held === held) return;
    this.held = held;
    layer.querySelectorAll("[data-hand]").forEach((node) => node.remove());
    hands.forEach((hand, side) => {
      for (const { kind, count } of hand) {
        const name = side ? kind.toLowerCase() : kind, [x, y] = this.geometry.handPlace(side, kind);
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
      const [x, y] = this.geometry.middle(index);
      const group = draw(layer, "g", { class: "disc", transform: `translate(${x} ${y})` });
      const face = draw(group, "g", { class: `face ${colour}` });
      draw(face, "circle", { class: "shade", cy: 2, r: radius });
      draw(face, "circle", { class: "body", r: radius });
      if (!stones) draw(face, "circle", { class: "ring", r: radius * 0.78 });
      group.dataset.colour = colour;
      this.discs.set(index, group);
      if (last.includes(names[index]) && !this.overlay.still && !calm()) face.animate([{ transform: "scale(1.25)", opacity: 0.3 }, { transform: "none", opacity: 1 }], { duration: 140, easing: "ease-out" });
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
    const [x, y] = this.geometry.middle(index);
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
      const label = `${names[index]} ${man ? named(man) : say("empty")}`;
      if (cell.getAttribute("aria-label") !== label) cell.setAttribute("aria-label", label);
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
    if (territory) drawTerritory(over, this.geometry);
    this.layers.field.querySelectorAll(".tint.from").forEach((node) => node.remove());
    if (this.from) {
      const [x, y] = this.geometry.point(this.from);
      draw(this.shogi ? this.layers.field : over, "rect", { class: "tint from", x: x - CELL / 2, y: y - CELL / 2, width: CELL, height: CELL });
    }
    const { cells } = this.now;
    if (this.now.style !== "stones") for (const name of targets) {
      const index = squareIndex(this.now, name), [x, y] = this.geometry.middle(index);
      if (cells[index]) draw(over, "circle", { class: "aim take", cx: x, cy: y, r: CELL * 0.46 });
      else draw(over, "circle", { class: "aim", cx: x, cy: y, r: 8.5 });
    }
    if (!this.shogi) drawLast(over, this.geometry, this.overlay);
    for (const mark of marks) drawMark(over, this.geometry, mark);
    for (const arrow of arrows) drawArrow(over, this.geometry, arrow);
    for (const shape of this.drawn) {
      const [from, to] = shape.split("-");
      if (from !== to) drawArrow(over, this.geometry, { from, to, kind: "drawn" });
      else draw(over, "circle", { class: "drawn", cx: this.geometry.point(from)[0], cy: this.geometry.point(from)[1], r: CELL * 0.43 });
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
    const name = this.under(event);
    if (event.button === 2 && name && name.length > 1) this.drawing = name;
    if (event.button !== 0) return;
    this.swipe = event.pointerType === "touch" ? [event.clientX, event.clientY] : null;
    if (!name) return;
    if (this.drawn.size) {
      this.drawn.clear();
      this.drawOver();
    }
    const again = this.from === name;
    const man = this.answers.moved && this.now.cells[squareIndex(this.now, name)];
    if (man) {
      event.preventDefault();
      this.drag = { id: event.pointerId, x: event.clientX, y: event.clientY, from: name, ghost: null, again: false };
      return this.layers.cells.setPointerCapture?.(event.pointerId);
    }
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
      const man = this.layers.pieces.querySelector(`[data-at="${CSS.escape(drag.from)}"]`) || (this.answers.moved && this.discs.get(squareIndex(this.now, drag.from)));
      if (!man || !this.answers.moved && this.from !== drag.from) return;
      drag.ghost = /** @type {SVGElement} */ (man.cloneNode(true));
      man.classList.add("lifted");
      this.layers.ghost.append(drag.ghost);
    }
    if (!drag.ghost || !this.svg) return;
    const box = this.svg.getBoundingClientRect(), scale = this.geometry.frame.width / box.width, [x, y] = this.geometry.point(drag.from);
    drag.ghost.setAttribute("transform", `translate(${(event.clientX - box.left) * scale - x} ${(event.clientY - box.top) * scale - y})`);
  }

  dropGhost() {
    this.drag?.ghost?.remove();
    this.layers.pieces?.querySelector(".lifted")?.classList.remove("lifted");
    this.drag = null;
  }

  /** @param {PointerEvent} event */
  release(event) {
    if (event.button === 2) return this.finishShape(event);
    const moved = this.swipe ? event.clientX - this.swipe[0] : 0, tilt = this.swipe ? Math.abs(event.clientY - this.swipe[1]) : 0;
    this.swipe = null;
    if (!this.drag && Math.abs(moved) > 60 && tilt < 40) return this.answers.step?.(moved < 0 ? 1 : -1);
    const drag = this.drag, name = this.under(event);
    this.dropGhost();
    if (drag?.ghost && this.answers.moved) return this.answers.moved(drag.from, name);
    if (drag?.ghost) {
      if (name && name !== drag.from) {
        this.choose(name);
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

  /**
   * Draws an arrow or a circle, or removes the same one.
   * @param {PointerEvent} event
   */
  finishShape(event) {
    const name = this.under(event), shape = `${this.drawing}-${name}`;
    if (this.drawing && name && name.length > 1 && !this.drawn.delete(shape)) this.drawn.add(shape);
    this.drawing = "";
    this.drawOver();
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
    const { from } = this;
    if (from !== null) this.cancel();
    this.answers.refused?.(name, from);
  }

  /**
   * Promote, or not?
   * @param {string} from
   * @param {Choice} choice
   */
  askPromotion(from, choice) {
    const layer = this.layers.ghost, { cells } = this.now, { width, height } = this.geometry.frame;
    layer.setAttribute("pointer-events", "all");
    layer.replaceChildren();
    const close = () => {
      layer.replaceChildren();
      layer.setAttribute("pointer-events", "none");
      this.drawOver();
    };
    draw(layer, "rect", { class: "veil", width, height }).addEventListener("click", close);
    const man = cells[squareIndex(this.now, from)], plain = man ? letterOf(man) : "P", [x, y] = this.geometry.point(choice.to);
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

  /** The board as a self-contained file. */
  asSvg() {
    return this.svg ? standalone(this.svg, this.geometry.frame) : "";
  }
}
