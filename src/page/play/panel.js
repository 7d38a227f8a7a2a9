// The panel beside the board: moves with variations, the curve, lines of the engine, the review.
import { drawCurve, markPly, winRate } from "../chart.js";
import { at, make } from "../dom.js";
import { colourName, say, scoreText, shortScore, short, tongue, turnText } from "../words.js";

const SIGNS = ["", "?!", "?", "??"];

/**
 * The nodes from the start to `node`, the start left out.
 * @param {PlayNode[]} nodes
 * @param {number} node
 */
export function pathTo(nodes, node) {
  const path = [];
  for (let id = node; id > 0; id = nodes[id].parent) path.unshift(id);
  return path;
}

/**
 * The line that goes on from `node` by first children.
 * @param {PlayNode[]} nodes
 * @param {number} node
 */
export function lineFrom(nodes, node) {
  const line = [];
  for (let id = node; ;) {
    const next = nodes.findIndex((other, index) => index > 0 && other.parent === id);
    if (next < 0) return line;
    line.push(next);
    id = next;
  }
}

/**
 * The text of a better turn.
 * @param {PlayNode} node
 */
function betterText(node) {
  if (!node.b) return "";
  return say("played-better", { played: turnText(node), best: turnText(node.b), loss: node.b.loss || "" });
}

/**
 * The list of moves.
 * @param {PlayState} state
 * @param {(node: number) => void} go
 */
export function showMoves(state, go) {
  const list = at("moves"), { nodes } = state;
  /** @type {number[][]} */
  const children = nodes.map(() => []);
  nodes.forEach((node, id) => { if (id) children[node.parent].push(id); });
  /** @param {number} id */
  const item = (id) => {
    const node = nodes[id];
    const button = make("button", { class: `ply side${node.by}` + (id === state.node ? " now" : "") + (id === state.live && state.mode === "play" ? " live" : "") + (node.g ? ` g${node.g}` : ""), type: "button", "data-node": id },
      make("i", {}, String(node.ply)), turnText(node) + SIGNS[node.g || 0]);
    if (node.s !== undefined) button.append(make("em", {}, shortScore(state.game, node.s)));
    if (node.b) button.title = betterText(node);
    button.addEventListener("click", () => go(id));
    return button;
  };
  /** @param {number} id @param {HTMLElement} into */
  const walk = (id, into) => {
    for (let at = id; ;) {
      const [main, ...others] = children[at];
      if (main === undefined) return;
      into.append(item(main));
      for (const other of others) {
        const line = make("div", { class: "variation" });
        line.append(item(other));
        walk(other, line);
        into.append(line);
      }
      at = main;
    }
  };
  const start = make("button", { class: "ply start" + (state.node === 0 ? " now" : ""), type: "button", "data-node": 0 }, say("start"));
  start.addEventListener("click", () => go(0));
  list.replaceChildren(start);
  walk(0, list);
  const now = list.querySelector(".now");
  if (now instanceof HTMLElement) {
    const top = now.offsetTop - list.offsetTop;
    if (top < list.scrollTop || top + now.offsetHeight > list.scrollTop + list.clientHeight) list.scrollTop = top - list.clientHeight / 2;
  } else list.scrollTop = 0;
}

/** @param {PlayState} state @param {(node: number) => void} go */
export function showCurve(state, go) {
  const { nodes } = state, path = pathTo(nodes, state.node), line = [...path, ...lineFrom(nodes, state.node)];
  const all = [0, ...line];
  /** @type {import("../chart.js").Point[]} */
  const points = [];
  all.forEach((id, ply) => {
    const node = nodes[id];
    if (node.s !== undefined) points.push({ ply, value: node.s, proven: node.x, grade: node.g, text: id ? turnText(node) : "" });
  });
  const host = at("curve");
  host.hidden = points.length < 2;
  const key = JSON.stringify([points, all.length, state.scale, tongue()]);
  if (host.dataset.key !== key) {
    host.dataset.key = key;
    drawCurve(host, state.game, state.scale, points, all.length - 1, (ply) => go(all[ply]));
  }
  markPly(host, path.length, all.length - 1);
}

/**
 * The bar beside the board.
 * @param {PlayState} state
 * @param {number | undefined} value
 * @param {boolean} flipped
 */
export function showBar(state, value, flipped) {
  const bar = at("bar");
  bar.hidden = value === undefined;
  if (value === undefined) return;
  const rate = winRate(value, state.scale), first = at("bar-first");
  const dark = colourName(state.game, 0) !== say("white");
  bar.classList.toggle("first-dark", dark);
  bar.classList.toggle("flipped", flipped);
  first.style.height = (100 * rate).toFixed(1) + "%";
  at("bar-text").textContent = shortScore(state.game, value);
  bar.title = `${scoreText(state.game, value)} · ${colourName(state.game, 0)} ${Math.round(100 * rate)} %`;
}

/**
 * What the engine found.
 * @param {PlayState} state
 * @param {SearchReport | null} report
 * @param {(line: SearchLine) => void} play
 * @param {(line: SearchLine | null) => void} point
 */
export function showLines(state, report, play, point) {
  const host = at("lines");
  const shown = report && report.node === state.node ? report : null;
  at("search-facts").textContent = shown ? [say("depth") + " " + shown.depth, short(shown.nodes) + " " + say("nodes"), (shown.ms / 1000).toFixed(1) + " s"].join(" · ") : "";
  if (!shown) return host.replaceChildren();
  if (shown.mate) {
    const text = shown.mate === "mate" ? say("mate-found", { plies: shown.lines[0]?.t.length || 0 }) : say(shown.mate === "nomate" ? "no-mate" : "mate-unknown");
    host.replaceChildren(make("p", { class: "verdict" }, text));
  } else host.replaceChildren();
  for (const line of shown.lines) {
    const text = tongue() === "ja" && line.j ? line.j : line.t.join(" ");
    const row = make("button", { class: "line", type: "button" },
      make("b", { class: line.s > 0 ? "plus" : "minus" }, scoreText(state.game, line.s, line.x)),
      make("span", {}, text));
    if (line.x) row.append(make("small", {}, say("exact")));
    row.addEventListener("click", () => play(line));
    row.addEventListener("pointerenter", () => point(line));
    row.addEventListener("pointerleave", () => point(null));
    host.append(row);
  }
}

/**
 * Accuracy and the turns that decided the game.
 * @param {PlayState} state
 * @param {(node: number) => void} go
 */
export function showReview(state, go) {
  const host = at("review"), { review, nodes } = state;
  host.replaceChildren();
  if (!review) return;
  if (!review.sides) {
    const bar = make("progress", { max: review.total, value: review.done });
    host.append(make("p", {}, say("reviewing", { done: review.done, total: review.total })), bar);
    return;
  }
  const head = make("tr", {}, make("th"), ...["accuracy", "best-turns", "inaccuracies", "mistakes", "blunders"].map((key) => make("th", {}, say(key))));
  const rows = review.sides.map((side, index) => make("tr", {}, make("th", {}, colourName(state.game, index)),
    make("td", {}, side.accuracy === null ? "–" : side.accuracy.toFixed(1)), make("td", {}, `${side.best} ${say("of")} ${side.turns}`), ...side.grades.map((count, grade) => make("td", { class: count ? "g" + (grade + 1) : "" }, String(count)))));
  host.append(make("table", { class: "sides" }, head, ...rows));
  const bad = lineFrom(nodes, 0).filter((id) => nodes[id].g).sort((a, b) => (nodes[b].g || 0) - (nodes[a].g || 0) || a - b).slice(0, 8).sort((a, b) => a - b);
  host.append(make("h3", {}, say("decisive")));
  if (!bad.length) host.append(make("p", {}, say("no-mistakes")));
  for (const id of bad) {
    const node = nodes[id], button = make("button", { class: `moment g${node.g}`, type: "button", "data-node": id }, make("i", {}, `${node.ply}`), `${say("grade-" + node.g)}: ${betterText(node)}`);
    button.addEventListener("click", () => go(id));
    host.append(button);
  }
}
