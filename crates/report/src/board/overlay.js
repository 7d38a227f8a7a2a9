// What is drawn over the pieces: marks, arrows, territory, the last turn.
import { draw } from "../dom.js";
import { CELL, Geometry } from "./geometry.js";
import { isDark } from "./picture.js";

/** @param {Element} over @param {Geometry} geometry */
export function drawTerritory(over, geometry) {
  geometry.picture.territory.forEach((points, side) => {
    for (const index of points) {
      const [x, y] = geometry.middle(index), colour = isDark(geometry.picture, { side: side ? "second" : "first", kind: "" }) ? "b" : "w";
      draw(over, "rect", { class: "territory " + colour, x: x - 8, y: y - 8, width: 16, height: 16, rx: 3 });
    }
  });
}

/**
 * A dot on what was put there, a ring on what turned over.
 * @param {Element} layer @param {Geometry} geometry @param {Overlay} overlay
 */
export function drawLast(layer, geometry, { last = [], turned = [] }) {
  for (const name of turned) {
    const [x, y] = geometry.point(name);
    draw(layer, "circle", { class: "turned", cx: x, cy: y, r: 15 });
  }
  for (const name of last) {
    const [x, y] = geometry.point(name);
    draw(layer, "circle", { class: "new", cx: x, cy: y, r: 6.5 });
  }
}

/** @param {Element} layer @param {Geometry} geometry @param {{ square: string, kind: string, text?: string }} mark */
export function drawMark(layer, geometry, mark) {
  const [x, y] = geometry.point(mark.square);
  switch (mark.kind) {
    case "can-grow": draw(layer, "circle", { class: "mark can-grow", cx: x, cy: y, r: 20 }); break;
    case "planned": draw(layer, "rect", { class: "mark planned", x: x - CELL / 2 + 3, y: y - CELL / 2 + 3, width: CELL - 6, height: CELL - 6, rx: 6 }); break;
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

/** @param {Element} layer @param {Geometry} geometry @param {{ from: string, to: string, kind: string, label?: string }} arrow */
export function drawArrow(layer, geometry, arrow) {
  const [fromX, fromY] = geometry.point(arrow.from), [toX, toY] = geometry.point(arrow.to);
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
