"use strict";
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const data = JSON.parse(document.getElementById("data").textContent);
  const at = (id) => document.getElementById(id);
  const draw = (parent, name, attributes, text) => {
    const node = document.createElementNS(SVG, name);
    for (const key in attributes) node.setAttribute(key, attributes[key]);
    if (text !== undefined) node.textContent = text;
    parent.appendChild(node);
    return node;
  };
  const CELL = 52, EDGE = 26;
  const KANJI = { P: "歩", L: "香", N: "桂", S: "銀", G: "金", B: "角", R: "飛", K: "玉", "+P": "と", "+L": "杏", "+N": "圭", "+S": "全", "+B": "馬", "+R": "龍" };
  const RANKS = "一二三四五六七八九";
  const state = { game: 0, ply: 0, turned: false, letters: !hasKanji(), timer: 0 };
  let view = null;

  // A missing glyph is drawn as the same box for every character.
  function hasKanji() {
    const pixels = (text) => {
      const canvas = document.createElement("canvas");
      canvas.width = canvas.height = 24;
      const pen = canvas.getContext("2d");
      if (!pen) return text;
      pen.font = "20px serif";
      pen.fillText(text, 2, 20);
      return pen.getImageData(0, 0, 24, 24).data.join();
    };
    return pixels("歩") !== pixels("馬") && pixels("飛") !== pixels("\u{10ffff}");
  }

  // Boards: each returns a function that shows cells, hands and the cells that just changed.
  function frame(columns, rows, surface, top, bottom) {
    const width = columns * CELL + 2 * EDGE, height = rows * CELL + 2 * EDGE + top + bottom;
    const svg = draw(at("board"), "svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "Board" });
    draw(svg, "rect", { width, height, class: surface });
    return svg;
  }
  const place = (index, columns, rows) => {
    const [column, row] = [index % columns, Math.floor(index / columns)];
    return state.turned ? [columns - 1 - column, rows - 1 - row] : [column, row];
  };
  const middle = (step) => EDGE + step * CELL + CELL / 2;

  function shogiBoard() {
    const strip = 44, svg = frame(9, 9, "wood", strip, strip), lift = EDGE + strip;
    const traces = draw(svg, "g", {});
    for (let i = 0; i <= 9; i++) {
      draw(svg, "path", { class: "woodline", d: `M${EDGE} ${lift + i * CELL}H${EDGE + 9 * CELL}M${EDGE + i * CELL} ${lift}V${lift + 9 * CELL}` });
    }
    for (const [x, y] of [[3, 3], [6, 3], [3, 6], [6, 6]]) draw(svg, "circle", { cx: EDGE + x * CELL, cy: lift + y * CELL, r: 3, fill: "var(--woodline)" });
    for (let i = 0; i < 9; i++) {
      draw(svg, "text", { class: "coord", x: middle(i), y: lift - 11 }, state.turned ? i + 1 : 9 - i);
      const rank = state.turned ? 8 - i : i;
      draw(svg, "text", { class: "coord", x: EDGE + 9 * CELL + 12, y: strip + middle(i) }, state.letters ? "abcdefghi"[rank] : RANKS[rank]);
    }
    const pieces = draw(svg, "g", {});
    return (cells, hands, marks) => {
      pieces.replaceChildren();
      traces.replaceChildren();
      cells.forEach((cell, index) => {
        const [column, row] = place(index, 9, 9), x = middle(column), y = strip + middle(row);
        if (marks.has(index)) draw(traces, "rect", { class: "trace", x: x - CELL / 2, y: y - CELL / 2, width: CELL, height: CELL });
        if (!cell) return;
        const white = cell === cell.toLowerCase(), name = cell.toUpperCase();
        const group = draw(pieces, "g", { transform: `translate(${x} ${y})${white !== state.turned ? " rotate(180)" : ""}` });
        draw(group, "path", { class: "tile-piece", d: "M0-22.5L15-17 19.5 21H-19.5L-15-17Z" });
        const glyph = name === "K" && white ? "王" : KANJI[name];
        draw(group, "text", { class: name[0] === "+" ? "glyph promoted" : "glyph", y: 2, "font-size": state.letters ? (name.length > 1 ? 20 : 24) : 26 }, state.letters ? name : glyph);
      });
      hands.forEach((hand, side) => {
        const low = (side === 0) !== state.turned;
        const text = hand.split(" ").filter(Boolean).map((held) => (state.letters ? held[0] : KANJI[held[0]]) + (held.length > 1 ? held.slice(1) : "")).join("  ");
        const mark = state.letters ? (side ? "White: " : "Black: ") : side ? "☖ " : "☗ ";
        draw(pieces, "text", { class: "hand", x: EDGE + 4.5 * CELL, y: low ? lift + 9 * CELL + EDGE + 8 : 22 }, text ? mark + text : "");
      });
    };
  }

  function roundBoard(columns, rows, go) {
    const svg = frame(columns, rows, go ? "wood" : "felt", 0, 0), line = go ? "woodline" : "feltline";
    const [from, toX, toY] = go ? [middle(0), middle(columns - 1), middle(rows - 1)] : [EDGE, EDGE + columns * CELL, EDGE + rows * CELL];
    const lines = go ? 0 : 1;
    for (let i = 0; i < columns + lines; i++) {
      const x = go ? middle(i) : EDGE + i * CELL;
      draw(svg, "path", { class: line, d: `M${x} ${from}V${toY}` });
    }
    for (let i = 0; i < rows + lines; i++) {
      const y = go ? middle(i) : EDGE + i * CELL;
      draw(svg, "path", { class: line, d: `M${from} ${y}H${toX}` });
    }
    if (go && columns >= 9) {
      const inset = columns >= 13 ? 3 : 2, places = [inset, columns - 1 - inset];
      if (columns % 2) places.push((columns - 1) / 2);
      for (const x of places) for (const y of places) draw(svg, "circle", { cx: middle(x), cy: middle(y), r: 4, fill: "var(--woodline)" });
    }
    for (let i = 0; i < columns; i++) {
      const name = String.fromCharCode(97 + (state.turned ? columns - 1 - i : i));
      draw(svg, "text", { class: go ? "coord" : "coord on-felt", x: middle(i), y: go ? EDGE + rows * CELL + 12 : 13 }, name);
    }
    for (let i = 0; i < rows; i++) {
      const row = state.turned ? rows - 1 - i : i;
      draw(svg, "text", { class: go ? "coord" : "coord on-felt", x: 13, y: middle(i) }, go ? rows - row : row + 1);
    }
    const size = `font-size:${Math.round(3 + columns)}px`;
    for (const text of svg.querySelectorAll(".coord")) text.setAttribute("style", size);
    const discs = [], dots = [];
    for (let i = 0; i < columns * rows; i++) {
      const [column, row] = place(i, columns, rows), [cx, cy] = [middle(column), middle(row)];
      discs.push(draw(svg, "circle", { cx, cy, r: CELL * (go ? 0.47 : 0.42), opacity: 0 }));
      dots.push(draw(svg, "circle", { cx, cy, r: 6, opacity: 0 }));
    }
    return (cells, hands, marks) => {
      cells.forEach((cell, index) => {
        if (cell) discs[index].setAttribute("class", "stone-" + cell);
        discs[index].setAttribute("opacity", cell ? 1 : 0);
        // A filled dot on what was put there, a ring on what turned over.
        dots[index].setAttribute("class", marks.get(index) ? "turned" : "new");
        dots[index].setAttribute("r", marks.get(index) ? 13 : 6);
        dots[index].setAttribute("opacity", cell && marks.has(index) ? 1 : 0);
      });
    };
  }

  function build() {
    at("board").replaceChildren();
    const [columns, rows] = data.size;
    view = data.game === "shogi" ? shogiBoard() : roundBoard(columns, rows, data.game === "sygo");
  }

  // The position after so many plies, and what the last one changed: index → content before.
  function position(game, ply) {
    const cells = game.board.slice();
    let hands = game.hands, marks = new Map();
    for (const turn of game.plies.slice(0, ply)) {
      marks = new Map();
      for (const [index, cell] of turn.d) {
        marks.set(index, cells[index]);
        cells[index] = cell;
      }
      hands = turn.h || hands;
    }
    return [cells, hands, marks];
  }

  const UNIT = { shogi: "", reversi: " discs", sygo: " points" }[data.game] || "";
  const score = (value) => {
    if (Math.abs(value) > 100000) return (value > 0 ? "mate for " + data.colours[0] : "mate for " + data.colours[1]) + " in " + (200000 - Math.abs(value));
    return (value > 0 ? "+" : "") + (data.game === "shogi" ? value : (value / 100).toFixed(1)) + UNIT;
  };
  const short = (n) => (n >= 1e6 ? (n / 1e6).toFixed(1) + " M" : n >= 1e3 ? (n / 1e3).toFixed(0) + " k" : String(n));
  const turnText = (turn) => (turn.j && !state.letters ? "▲△"[turn.by] + turn.j.replace("　", "") : turn.t);

  function show() {
    const game = data.games[state.game], [cells, hands, marks] = position(game, state.ply);
    view(cells, hands, marks);
    const turn = game.plies[state.ply - 1], next = game.plies[state.ply];
    const told = at("told");
    told.replaceChildren();
    const put = (tag, text) => told.appendChild(Object.assign(document.createElement(tag), { textContent: text }));
    put("b", turn ? `${state.ply}. ${turnText(turn)}` : "Start");
    if (turn) {
      const facts = [turn.s === undefined ? "" : "score " + score(turn.s), turn.n === undefined ? "" : "depth " + turn.n, turn.k === undefined ? "" : short(turn.k) + " nodes", turn.u === undefined ? "" : (turn.u / 1000).toFixed(2) + " s"].filter(Boolean);
      told.appendChild(document.createElement("br"));
      put("span", facts.length ? facts.join(" · ") : state.ply <= game.opening ? "opening" : "");
    } else {
      told.appendChild(document.createElement("br"));
      put("span", game.opening ? `${game.opening} plies of opening follow` : `${game.result} by ${game.cause}`);
    }
    const ended = state.ply === game.plies.length;
    if (ended && turn) put("span", ` — ${game.result}, ${game.cause}`);
    for (const side of [0, 1]) {
      const who = at("who" + (state.turned ? 1 - side : side));
      who.replaceChildren();
      const dark = (data.colours[side] === "Black");
      who.appendChild(Object.assign(document.createElement("i"), { className: dark ? "dark" : "light" }));
      who.appendChild(document.createTextNode(game.names[side]));
      const count = data.game === "shogi" ? "" : cells.filter((cell) => cell === (dark ? "b" : "w")).length;
      who.appendChild(Object.assign(document.createElement("em"), { textContent: count }));
      who.classList.toggle("moving", !ended && Boolean(next) && next.by === side);
    }
    const list = at("moves");
    list.querySelector(".now")?.classList.remove("now");
    const now = list.children[state.ply - 1];
    if (now) {
      now.classList.add("now");
      list.scrollTop = now.offsetTop - list.offsetTop - list.clientHeight / 2;
    } else list.scrollTop = 0;
    at("curve").querySelector(".curve-now")?.setAttribute("transform", `translate(${game.plies.length ? (state.ply / game.plies.length) * 400 : 0} 0)`);
    at("player").dataset.ply = state.ply;
    at("player").dataset.board = cells.map((cell) => cell || ".").join("");
  }

  function curve(game) {
    at("curve").replaceChildren();
    const told = game.plies.map((turn, index) => [index + 1, turn.s]).filter(([, value]) => value !== undefined);
    if (told.length < 2) return;
    const unit = { shogi: 600, reversi: 1000, sygo: 1500 }[data.game] || 600;
    const height = (value) => 45 - 42 * (2 / (1 + Math.exp(-Math.max(-1e5, Math.min(1e5, value)) / unit)) - 1);
    const x = (ply) => (ply / game.plies.length) * 400;
    const svg = draw(at("curve"), "svg", { viewBox: "0 0 400 90", preserveAspectRatio: "none", role: "img", "aria-label": "Score by ply" });
    const path = told.map(([ply, value], index) => `${index ? "L" : "M"}${x(ply).toFixed(1)} ${height(value).toFixed(1)}`).join("");
    draw(svg, "path", { class: "curve-area", d: `${path}L${x(told[told.length - 1][0]).toFixed(1)} 45L${x(told[0][0]).toFixed(1)} 45Z` });
    draw(svg, "path", { class: "curve-zero", d: "M0 45H400" });
    draw(svg, "path", { class: "curve-line", d: path });
    draw(svg, "path", { class: "curve-now", d: "M0 0V90" });
    svg.addEventListener("click", (event) => {
      const box = svg.getBoundingClientRect();
      go(Math.round(((event.clientX - box.left) / box.width) * game.plies.length));
    });
  }

  function list(game) {
    at("moves").replaceChildren(...game.plies.map((turn, index) => {
      const item = Object.assign(document.createElement("li"), { value: index + 1, textContent: turnText(turn), title: turn.t });
      if (index < game.opening) item.className = "opening";
      item.addEventListener("click", () => go(index + 1));
      return item;
    }));
  }

  function open(index, ply) {
    state.game = Math.max(0, Math.min(data.games.length - 1, index || 0));
    const game = data.games[state.game];
    at("choose").value = state.game;
    const side = Math.sqrt(game.board.length);
    data.size = [side, side];
    build();
    curve(game);
    list(game);
    at("detail").textContent = [game.detail, game.broken].filter(Boolean).join(" · ");
    at("text").hidden = !game.record;
    at("record").textContent = game.record;
    go(ply === undefined ? game.plies.length : ply);
  }

  function go(ply) {
    const game = data.games[state.game];
    state.ply = Math.max(0, Math.min(game.plies.length, ply || 0));
    show();
  }

  function stop() {
    clearInterval(state.timer);
    state.timer = 0;
    at("play").setAttribute("aria-pressed", "false");
  }
  function play() {
    if (state.timer) return stop();
    if (state.ply === data.games[state.game].plies.length) go(0);
    at("play").setAttribute("aria-pressed", "true");
    state.timer = setInterval(() => {
      if (state.ply >= data.games[state.game].plies.length) stop();
      else go(state.ply + 1);
    }, 700);
  }

  if (data.games.length) {
    const acts = {
      first: () => go(0), back: () => go(state.ply - 1), next: () => go(state.ply + 1), last: () => go(1e9), play,
      turn: () => { state.turned = !state.turned; build(); show(); },
      letters: () => { state.letters = !state.letters; build(); list(data.games[state.game]); show(); },
    };
    for (const name in acts) at(name).addEventListener("click", () => { if (name !== "play") stop(); acts[name](); });
    at("letters").hidden = data.game !== "shogi";
    at("choose").addEventListener("change", (event) => { stop(); open(Number(event.target.value)); });
    const keys = { ArrowLeft: () => go(state.ply - 1), ArrowRight: () => go(state.ply + 1), Home: () => go(0), End: () => go(1e9), ArrowUp: () => open(state.game - 1), ArrowDown: () => open(state.game + 1) };
    at("player").addEventListener("keydown", (event) => {
      if (!keys[event.key] || event.target.tagName === "SELECT") return;
      event.preventDefault();
      stop();
      keys[event.key]();
    });
    at("player").hidden = false;
    // `#g3p20` is the fourth game after twenty plies.
    const jump = () => {
      const wanted = /^#g(\d+)(?:p(\d+))?$/.exec(location.hash);
      if (wanted) open(Number(wanted[1]), wanted[2] === undefined ? undefined : Number(wanted[2]));
      return Boolean(wanted);
    };
    addEventListener("hashchange", jump);
    if (!jump()) open(0);
  }
  document.body.dataset.ready = "1";
})();
