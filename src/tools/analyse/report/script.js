"use strict";
// Steps through the games: draws the board of a position from its text.
const KANJI = { P: "歩", L: "香", N: "桂", S: "銀", G: "金", B: "角", R: "飛", K: "玉",
  "+P": "と", "+L": "杏", "+N": "圭", "+S": "全", "+B": "馬", "+R": "龍" };
const SIZE = 40;

function make(name, attributes, text) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const key in attributes) node.setAttribute(key, attributes[key]);
  if (text !== undefined) node.textContent = text;
  return node;
}

function board(files, ranks, onPoints) {
  const svg = make("svg", { viewBox: `-${SIZE} -${SIZE} ${(files + 2) * SIZE} ${(ranks + 2) * SIZE}` });
  svg.append(make("rect", { x: 0, y: 0, width: files * SIZE, height: ranks * SIZE, fill: "var(--board)" }));
  const shift = onPoints ? SIZE / 2 : 0;
  for (let i = 0; i <= files - (onPoints ? 1 : 0); i++)
    svg.append(make("line", { x1: i * SIZE + shift, x2: i * SIZE + shift, y1: shift, y2: ranks * SIZE - shift, stroke: "#333" }));
  for (let i = 0; i <= ranks - (onPoints ? 1 : 0); i++)
    svg.append(make("line", { y1: i * SIZE + shift, y2: i * SIZE + shift, x1: shift, x2: files * SIZE - shift, stroke: "#333" }));
  return svg;
}

function label(svg, x, y, text) {
  svg.append(make("text", { x, y, "text-anchor": "middle", "font-size": 14, fill: "var(--ink)" }, text));
}

function disc(svg, column, row, black) {
  svg.append(make("circle", { cx: (column + 0.5) * SIZE, cy: (row + 0.5) * SIZE, r: SIZE * 0.42,
    fill: black ? "#111" : "#fff", stroke: "#333" }));
}

function shogi(text) {
  const [rows, , hands] = text.split(" ");
  const svg = board(9, 9, false);
  for (let i = 0; i < 9; i++) {
    label(svg, (i + 0.5) * SIZE, -8, 9 - i);
    label(svg, 9 * SIZE + 14, (i + 0.6) * SIZE, "一二三四五六七八九"[i]);
  }
  rows.split("/").forEach((row, rank) => {
    let file = 0;
    for (const token of row.match(/\d|\+?[A-Za-z]/g) || []) {
      if (/\d/.test(token)) { file += Number(token); continue; }
      const white = token === token.toLowerCase();
      const x = (file + 0.5) * SIZE, y = (rank + 0.5) * SIZE;
      const piece = make("text", { x, y: y + 10, "text-anchor": "middle", "font-size": 28,
        fill: token.startsWith("+") ? "#b00" : "#111" }, KANJI[token.toUpperCase()]);
      if (white) piece.setAttribute("transform", `rotate(180 ${x} ${y})`);
      svg.append(piece);
      file++;
    }
  });
  const held = { black: "", white: "" };
  for (const [, count, letter] of hands.matchAll(/(\d*)([A-Za-z])/g))
    held[letter === letter.toUpperCase() ? "black" : "white"] += KANJI[letter.toUpperCase()] + (count || "");
  label(svg, 4.5 * SIZE, 9.7 * SIZE, "▲ " + (held.black || "–"));
  label(svg, 4.5 * SIZE, -26, "△ " + (held.white || "–"));
  return svg;
}

function reversi(text) {
  const svg = board(8, 8, false);
  for (let i = 0; i < 8; i++) {
    label(svg, (i + 0.5) * SIZE, -8, "abcdefgh"[i]);
    label(svg, -14, (i + 0.6) * SIZE, i + 1);
  }
  for (let i = 0; i < 64; i++)
    if (text[i] !== "-") disc(svg, i % 8, Math.floor(i / 8), text[i] === "X");
  return svg;
}

function sygo(text) {
  const rows = text.split(" ")[0].split("/");
  const svg = board(rows.length, rows.length, true);
  rows.forEach((row, index) => {
    label(svg, (index + 0.5) * SIZE, -8, String.fromCharCode(97 + index));
    label(svg, -14, (index + 0.6) * SIZE, rows.length - index);
    let column = 0;
    for (const token of row.match(/\d+|[wb]/g) || []) {
      if (/\d/.test(token)) { column += Number(token); continue; }
      disc(svg, column++, index, token === "b");
    }
  });
  return svg;
}

const DRAW = { shogi, reversi, sygo };
let current = 0;
const players = JSON.parse(document.getElementById("data").textContent).map((game, index) => {
  const section = document.getElementById("game" + index);
  const points = [...section.querySelectorAll("circle")];
  let place = 0;
  function show(to) {
    place = Math.max(0, Math.min(game.positions.length - 1, to));
    const position = game.positions[place];
    section.querySelector(".board").replaceChildren(DRAW[game.game](position.position));
    section.querySelector(".told").innerText =
      `turn ${position.turn} ${position.moved}\nvalue ${position.value}\nwin rate ${position.rate} %\n${position.line}`;
    points.forEach((point, i) => point.classList.toggle("here", i === place));
    section.dataset.place = place;
  }
  function step(by) {
    current = index;
    show(by === "first" ? 0 : by === "last" ? Infinity : place + Number(by));
  }
  points.forEach((point) => point.addEventListener("click", () => { current = index; show(Number(point.dataset.place)); }));
  section.querySelectorAll("button").forEach((button) => button.addEventListener("click", () => step(button.dataset.step)));
  section.querySelector(".player").addEventListener("click", () => { current = index; });
  show(0);
  return step;
});
document.addEventListener("keydown", (event) => {
  const by = { ArrowLeft: -1, ArrowRight: 1, Home: "first", End: "last" }[event.key];
  if (by === undefined || !players[current]) return;
  event.preventDefault();
  players[current](by);
});
document.documentElement.dataset.ready = "1";
