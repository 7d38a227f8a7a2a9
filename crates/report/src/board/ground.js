// The board itself: wood or felt, lines and coordinates. It stays while positions change.
import { draw } from "../dom.js";
import { CELL, Geometry } from "./geometry.js";

const RANKS = "一二三四五六七八九";

/**
 * Draws the empty board; returns the layer between wood and lines.
 * @param {SVGElement} svg @param {Geometry} geometry
 */
export function drawGround(svg, geometry) {
  const { style: look, columns, rows } = geometry.picture, { left, top, width, height } = geometry.frame;
  const defs = draw(svg, "defs");
  const gradient = draw(defs, "radialGradient", { id: "stone-light", cx: "38%", cy: "32%", r: "75%" });
  draw(gradient, "stop", { offset: "0", "stop-color": "#ffffff" });
  draw(gradient, "stop", { offset: "1", "stop-color": "#d9d4c7" });
  const dark = draw(defs, "radialGradient", { id: "stone-dark", cx: "38%", cy: "30%", r: "80%" });
  draw(dark, "stop", { offset: "0", "stop-color": "#5b5a58" });
  draw(dark, "stop", { offset: ".55", "stop-color": "#232221" });
  draw(dark, "stop", { offset: "1", "stop-color": "#0f0f0e" });
  const grain = draw(defs, "pattern", { id: "grain", width: 180, height: 46, patternUnits: "userSpaceOnUse", patternTransform: "rotate(90)" });
  draw(grain, "rect", { class: "grain-ground", width: 180, height: 46 });
  for (const [y, bend, width] of [[5, 4, 1.6], [13, -3, 0.8], [21, 5, 2.2], [30, -4, 1], [38, 3, 1.4]]) draw(grain, "path", { class: "grain-line", d: `M0 ${y}Q45 ${y + bend} 90 ${y}T180 ${y}`, "stroke-width": width });
  const right = left + columns * CELL, low = top + rows * CELL;
  if (look === "pieces") {
    for (const y of [0, height - 66]) draw(svg, "rect", { class: "stand", x: left, y, width: 9 * CELL, height: 66, rx: 8 });
    draw(svg, "rect", { class: "wood", x: 0, y: 72, width, height: height - 144, rx: 8 });
  } else draw(svg, "rect", { class: look === "stones" ? "wood" : "felt", width, height, rx: 10 });
  const under = draw(svg, "g");
  const line = look === "discs" ? "feltline" : "woodline", inset = look === "stones" ? CELL / 2 : 0;
  let path = "";
  for (let i = 0; i <= columns - (inset ? 1 : 0); i++) path += `M${left + inset + i * CELL} ${top + inset}V${low - inset}`;
  for (let i = 0; i <= rows - (inset ? 1 : 0); i++) path += `M${left + inset} ${top + inset + i * CELL}H${right - inset}`;
  draw(svg, "path", { class: line, d: path });
  draw(svg, "rect", { class: line + " rim", x: left + inset, y: top + inset, width: columns * CELL - 2 * inset, height: rows * CELL - 2 * inset });
  for (const [column, row] of stars(geometry.picture)) draw(svg, "circle", { class: line + " star", cx: left + column * CELL, cy: top + row * CELL, r: look === "stones" ? 4.5 : 3.5 });
  if (geometry.manner.coordinates) drawCoordinates(svg, geometry);
  return under;
}

/**
 * Corner points that guide the eye, in cells from the corner.
 * @param {Picture} picture
 */
function stars(picture) {
  const { style, columns } = picture;
  if (style === "pieces") return [[3, 3], [6, 3], [3, 6], [6, 6]];
  if (style === "discs") return [[2, 2], [6, 2], [2, 6], [6, 6]];
  if (columns < 7) return columns % 2 ? [[columns / 2, columns / 2]] : [];
  const inset = (columns >= 12 ? 3 : 2) + 0.5, places = [inset, columns - inset];
  if (columns % 2 && columns >= 9) places.push(columns / 2);
  const all = places.flatMap((x) => places.map((y) => [x, y]));
  return columns < 15 ? all.filter(([x, y]) => (x === columns / 2) === (y === columns / 2)) : all;
}

/** @param {SVGElement} svg @param {Geometry} geometry */
function drawCoordinates(svg, geometry) {
  const { style, columns, rows } = geometry.picture, { left, top } = geometry.frame, flipped = geometry.manner.flipped;
  const kind = style === "discs" ? "coord on-felt" : "coord", letters = geometry.manner.pieces === "letters" || geometry.manner.pieces === "pictures";
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
