// The course of a game: value by ply, with the turns that cost something.
import { draw, make } from "./dom.js";
import { colourName, say, scoreText } from "./words.js";

const WIDTH = 600, HEIGHT = 120, EDGE = 4;

/**
 * Probability that the first side wins.
 * @param {number} value hundredths
 * @param {number} scale
 */
export const winRate = (value, scale) => 1 / (1 + Math.exp(-Math.max(-1e5, Math.min(1e5, value)) / scale));

/**
 * @typedef {{ ply: number, value: number, proven?: boolean, grade?: number, text?: string }} Point
 */

/**
 * Draws the curve into `host`; a click or a drag calls `go` with the ply.
 * @param {HTMLElement} host @param {string} game @param {number} scale @param {Point[]} points @param {number} last the last ply
 * @param {(ply: number) => void} go
 */
export function drawCurve(host, game, scale, points, last, go) {
  host.replaceChildren();
  host.classList.add("curve-frame");
  if (points.length < 2 || !last) return;
  const x = (/** @type {number} */ ply) => EDGE + (ply / last) * (WIDTH - 2 * EDGE);
  const y = (/** @type {number} */ value) => EDGE + (1 - winRate(value, scale)) * (HEIGHT - 2 * EDGE);
  const svg = draw(host, "svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", class: "curve", role: "img", "aria-label": say("curve") });
  const zero = HEIGHT / 2, first = points[0], end = points[points.length - 1];
  const path = points.map((point, index) => `${index ? "L" : "M"}${x(point.ply).toFixed(1)} ${y(point.value).toFixed(1)}`).join("");
  draw(svg, "path", { class: "curve-first", d: `${path}L${x(end.ply).toFixed(1)} ${HEIGHT}L${x(first.ply).toFixed(1)} ${HEIGHT}Z` });
  draw(svg, "path", { class: "curve-zero", d: `M0 ${zero}H${WIDTH}` });
  draw(svg, "path", { class: "curve-line", d: path });
  // Plies below, and above and below the middle the side that is ahead there.
  const pace = [5, 10, 20, 50, 100, 200, 500].find((pace) => last / pace <= 8) || 1000, axis = make("div", { class: "curve-scale", "aria-hidden": "true" });
  for (let ply = pace; ply < last; ply += pace) {
    draw(svg, "path", { class: "curve-tick", d: `M${x(ply).toFixed(1)} 0V${HEIGHT}` });
    const mark = make("span", {}, String(ply));
    mark.style.left = (100 * x(ply) / WIDTH).toFixed(2) + "%";
    axis.append(mark);
  }
  const tip = make("div", { class: "curve-tip", role: "tooltip", hidden: true });
  host.append(make("b", { class: "curve-side above" }, say("ahead", { colour: colourName(game, 0) })), make("b", { class: "curve-side below" }, say("ahead", { colour: colourName(game, 1) })), axis, tip);
  svg.addEventListener("pointermove", (event) => {
    const box = svg.getBoundingClientRect(), ply = Math.max(0, Math.min(last, Math.round((((event.clientX - box.left) * WIDTH / box.width - EDGE) / (WIDTH - 2 * EDGE)) * last)));
    const point = points.find((known) => known.ply === ply);
    tip.hidden = !point;
    if (!point) return;
    tip.textContent = `${point.ply}. ${point.text || ""} ${scoreText(game, point.value, point.proven)}`;
    tip.style.left = Math.max(0, Math.min(box.width - tip.offsetWidth, event.clientX - box.left + 8)) + "px";
  });
  svg.addEventListener("pointerleave", () => { tip.hidden = true; });
  for (const point of points) {
    if (!point.grade) continue;
    const dot = draw(svg, "ellipse", { class: `curve-dot g${point.grade}`, cx: x(point.ply).toFixed(1), cy: y(point.value).toFixed(1), rx: 4.5, ry: 4.5, "data-ply": point.ply });
    draw(dot, "title", {}, `${point.ply} ${point.text || ""} ${scoreText(game, point.value, point.proven)}`);
  }
  draw(svg, "path", { class: "curve-now", d: `M0 0V${HEIGHT}` });
  const jump = (/** @type {PointerEvent} */ event) => {
    const box = svg.getBoundingClientRect(), ratio = WIDTH / box.width;
    go(Math.max(0, Math.min(last, Math.round((((event.clientX - box.left) * ratio - EDGE) / (WIDTH - 2 * EDGE)) * last))));
  };
  svg.addEventListener("pointerdown", (event) => {
    svg.setPointerCapture(event.pointerId);
    jump(event);
  });
  svg.addEventListener("pointermove", (event) => {
    if (event.buttons & 1) jump(event);
  });
  // Stretching the drawing must not stretch the dots.
  const round = () => {
    const box = svg.getBoundingClientRect();
    if (!box.width || !box.height) return;
    svg.querySelectorAll(".curve-dot").forEach((dot) => dot.setAttribute("rx", String((4.5 * WIDTH * box.height) / (HEIGHT * box.width))));
  };
  round();
}

/**
 * Moves the line that shows where one is.
 * @param {HTMLElement} host
 * @param {number} ply
 * @param {number} last
 */
export function markPly(host, ply, last) {
  const at = last ? EDGE + (ply / last) * (WIDTH - 2 * EDGE) : 0;
  host.querySelector(".curve-now")?.setAttribute("transform", `translate(${at} 0)`);
}
