// The panel beside the board: moves with variations, the curve, lines of the engine, the review.
import { drawCurve, markPly, winRate } from "../chart.js";
import { at, make, reveal, update } from "../dom.js";
import { colourName, listed, look, say, scoreText, seenValue, shortScore, short, tongue, turnText, valuedText } from "../words.js";

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
export function betterText(node) {
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
    button.onclick = () => go(id);
    return button;
  };
  /** @param {number} id @param {HTMLElement[]} into */
  const walk = (id, into) => {
    for (let at = id; ;) {
      const [main, ...others] = children[at];
      if (main === undefined) return;
      into.push(item(main));
      for (const other of others) {
        const line = [item(other)];
        walk(other, line);
        into.push(make("div", { class: "variation" }, ...line));
      }
      at = main;
    }
  };
  const start = make("button", { class: "ply start" + (state.node === 0 ? " now" : ""), type: "button", "data-node": 0 }, say("start"));
  start.onclick = () => go(0);
  const moves = [start];
  walk(0, moves);
  update(list, ...moves);
  reveal(list, list.querySelector(".now"));
}

/**
 * The comment on the turn that is shown; it can be written where the game does not continue.
 * @param {PlayState} state
 * @param {(text: string) => void} write
 */
export function showComment(state, write) {
  const host = at("comment"), node = state.nodes[state.node], comment = node.c || "";
  const writes = state.node > 0 && (state.mode === "study" || state.over !== null), key = [state.room, state.node, comment, writes, tongue()].join("|");
  host.hidden = !writes && !comment;
  if (host.dataset.key === key) return;
  host.dataset.key = key;
  const field = /** @type {HTMLTextAreaElement} */ (make("textarea", { id: "comment-text", rows: comment.includes("\n") ? 4 : 2, maxlength: 4000, placeholder: say("comment-here"), "aria-label": say("comment") }));
  field.value = comment;
  field.readOnly = !writes;
  field.addEventListener("change", () => write(field.value));
  host.replaceChildren(field);
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
 * The bar beside the board; its place is kept when there is nothing to show.
 * @param {PlayState} state
 * @param {number | undefined} value
 * @param {boolean} flipped
 */
export function showBar(state, value, flipped) {
  const bar = at("bar");
  bar.classList.toggle("idle", value === undefined);
  bar.removeAttribute("title");
  bar.setAttribute("aria-label", say("value-bar"));
  at("bar-text").textContent = "";
  if (value === undefined) return;
  const rate = winRate(value, state.scale), first = at("bar-first");
  const dark = look(state.game).colours[0] !== "white";
  bar.classList.toggle("first-dark", dark);
  bar.classList.toggle("flipped", flipped);
  first.style.height = (100 * rate).toFixed(1) + "%";
  at("bar-text").textContent = shortScore(state.game, value);
  const chances = listed([0, 1].map((side) => `${colourName(state.game, side)} ${say("percent", { value: Math.round(100 * (side ? 1 - rate : rate)) })}`));
  bar.title = `${say("player-as", { player: scoreText(state.game, value), colour: valuedText(state.game) })} · ${say("win-chances", { chances })}`;
  bar.setAttribute("aria-label", bar.title);
}

/**
 * What the engine found.
 * @param {PlayState} state
 * @param {SearchReport | null} report
 * @param {(line: SearchLine) => void} play
 * @param {(line: SearchLine | null) => void} point
 */
export function showLines(state, report, play, point) {
  const host = at("lines"), facts = at("search-facts");
  const shown = report && report.node === state.node && !(state.asked && report.kind !== state.asked) ? report : null;
  if (!shown) {
    facts.textContent = "";
    return host.replaceChildren();
  }
  // A search for mate counts neither plies nor positions.
  const counts = shown.kind === "mate" ? [] : [say("depth") + " " + shown.depth, short(shown.nodes) + " " + say("nodes")];
  facts.textContent = [...counts, say("seconds", { seconds: (shown.ms / 1000).toFixed(1) })].join(" · ");
  const parts = [];
  if (shown.mate) parts.push(make("p", { class: "verdict" }, shown.mate === "mate" ? say("mate-found", { plies: shown.lines[0]?.t.length || 0 }) : say(shown.mate === "nomate" ? "no-mate" : "mate-unknown")));
  else if (shown.kind === "solve" && shown.done) parts.push(make("p", { class: "verdict" }, say(shown.lines[0]?.x ? "solved" : "not-solved", { value: shown.lines[0] ? scoreText(state.game, shown.lines[0].s, true) : "" })));
  for (const line of shown.lines) {
    const text = turnText(line);
    const row = make("button", { class: "line", type: "button", "data-line": line.t[0] || "", title: say("show-line") },
      make("b", { class: seenValue(line.s) > 0 ? "plus" : seenValue(line.s) < 0 ? "minus" : "" }, scoreText(state.game, line.s, line.x)),
      make("span", {}, text));
    if (line.x) row.append(make("small", {}, say("exact")));
    row.onclick = () => play(line);
    row.onpointerenter = () => point(line);
    row.onpointerleave = () => point(null);
    parts.push(row);
  }
  update(host, ...parts);
}

/**
 * Accuracy and the turns that decided the game.
 * @param {PlayState} state
 * @param {(node: number) => void} go
 */
export function showReview(state, go) {
  const host = at("review"), { review, nodes } = state;
  if (!review) return host.replaceChildren();
  if (!review.sides) {
    const bar = make("progress", { max: review.total, value: review.done });
    return update(host, make("p", {}, say("reviewing", { done: review.done, total: review.total })), bar);
  }
  const { sides } = review, row = (/** @type {string} */ key, /** @type {(side: typeof sides[0]) => string} */ cell, /** @type {string} */ kind = "") => make("tr", {}, make("th", { scope: "row" }, say(key)), ...sides.map((side) => make("td", { class: kind && cell(side) !== "0" ? kind : "" }, cell(side))));
  const parts = [
    make("table", { class: "sides" }, make("thead", {}, make("tr", {}, make("td"), ...sides.map((_, index) => make("th", { scope: "col" }, colourName(state.game, index))))), make("tbody", {},
      row("accuracy", (side) => (side.accuracy === null ? "–" : side.accuracy.toFixed(1))), row("best-turns", (side) => `${side.best} ${say("of")} ${side.turns}`),
      ...["inaccuracies", "mistakes", "blunders"].map((key, grade) => row(key, (side) => String(side.grades[grade]), `g${grade + 1}`)))),
    make("p", { class: "soft" }, say("accuracy-help"))];
  const bad = lineFrom(nodes, 0).filter((id) => nodes[id].g).sort((a, b) => (nodes[b].g || 0) - (nodes[a].g || 0) || a - b).slice(0, 8).sort((a, b) => a - b);
  parts.push(make("h3", {}, say("decisive")));
  if (!bad.length) parts.push(make("p", {}, say("no-mistakes")));
  for (const id of bad) {
    const node = nodes[id], button = make("button", { class: `moment g${node.g}`, type: "button", "data-node": id }, make("i", {}, `${node.ply}`), say("labelled", { label: say("grade-" + node.g), text: betterText(node) }));
    button.onclick = () => go(id);
    parts.push(button);
  }
  update(host, ...parts);
}
