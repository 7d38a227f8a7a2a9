// Practice: problems with one solution, made by the solvers of the program, with the solved ones kept in the browser.
import { at, make, update } from "../dom.js";
import { colourName, gameNames, look, moreTexts, placeText, say, turnText } from "../words.js";
import { dialog, like, likes } from "./dialogs.js";
import { pathTo } from "./panel.js";

/**
 * A position with one solution. `also` are other turns for its last step, `values` those of the best and the
 * second-best turn.
 * @typedef {{ grade: number, position: string, turns: string[], also: string[], values: string[], key: string }} Problem
 */

/** @type {Record<string, Problem[]>} */
const known = {};

/**
 * A short name of a position, by which it is remembered (FNV-1a).
 * @param {string} position
 */
function keyOf(position) {
  let hash = 0x811c9dc5;
  for (const sign of position) hash = Math.imul(hash ^ sign.charCodeAt(0), 0x01000193);
  return (hash >>> 0).toString(36);
}

/**
 * The problems in a file of `kaeshi solve --make-problems`.
 * @param {string} text
 * @returns {Problem[]}
 */
function read(text) {
  return text.split("\n").filter((line) => line && !line.startsWith("#")).map((line) => {
    const [grade, position, solution, values = ""] = line.split(" | ");
    const [way, ...also] = solution.split("/");
    return { grade: Number(grade), position, turns: way.split(" "), also, values: values.split(" ").filter(Boolean), key: keyOf(position) };
  });
}

/**
 * The problems of a game, the easiest first.
 * @param {string} game
 */
async function problemsOf(game) {
  const answer = known[game] ? null : await fetch(`problems/${game}.txt`);
  if (answer) known[game] = answer.ok ? read(await answer.text()) : [];
  return known[game];
}

/** @param {string} game @returns {Set<string>} */
const solvedOf = (game) => new Set(likes("solved-" + game, "").split(" ").filter(Boolean));

/**
 * What problems of a grade are called.
 * @param {string} game
 * @param {number} grade
 */
function gradeText(game, grade) {
  const { style } = look(game);
  return style === "pieces" ? say("practice-mate", { plies: grade }) : style === "discs" ? say("practice-empties", { count: grade }) : say("practice-grade-" + grade);
}

/**
 * Asks for a game and a grade.
 * @param {string} game the one that is offered first
 * @param {(game: string, grade: number) => Promise<boolean>} begin whether it has begun
 */
export async function choosePractice(game, begin) {
  await moreTexts();
  const list = make("ul", { class: "game-list", id: "practice-list" }), wrong = make("p", { class: "wrong", role: "alert" });
  const tabs = make("div", { class: "segments", role: "group" }, ...gameNames().map((name) => make("button", { type: "button", "data-practice": name }, say(name))));
  const box = dialog("practice", say("practice"), make("p", { class: "soft" }, say("practice-intro")), tabs, wrong, list);
  const show = async (/** @type {string} */ chosen) => {
    tabs.querySelectorAll("button").forEach((button) => button.setAttribute("aria-pressed", String(button.dataset.practice === chosen)));
    const problems = await problemsOf(chosen), solved = solvedOf(chosen);
    wrong.textContent = problems.length ? "" : say("practice-none");
    list.replaceChildren(...[...new Set(problems.map((problem) => problem.grade))].map((grade) => {
      const all = problems.filter((problem) => problem.grade === grade), done = all.filter((problem) => solved.has(problem.key)).length;
      const button = make("button", { type: "button", class: "game-entry", "data-grade": grade }, make("b", {}, gradeText(chosen, grade)), make("small", {}, say("practice-solved", { solved: done, count: all.length })));
      button.addEventListener("click", () => begin(chosen, grade).then((begun) => { if (begun) box.close(); }, (error) => { wrong.textContent = String(error.message); }));
      return make("li", {}, button);
    }));
  };
  tabs.addEventListener("click", (event) => {
    const { practice } = /** @type {HTMLElement} */ (event.target).dataset;
    if (practice) show(practice);
  });
  await show(game);
}

export class Practice {
  /** @param {{ ask: (wish: object) => Promise<void>, solution: (turns: string[]) => void, list: () => void }} acts */
  constructor(acts) {
    this.acts = acts;
    this.game = "";
    /** @type {Problem[]} */
    this.problems = [];
    this.place = 0;
    /** @type {"asked" | "on" | "wrong" | "hint" | "solved" | "shown"} */
    this.stage = "asked";
    /** The turns made, as people write them. */
    this.made = "";
  }

  get active() { return this.problems.length > 0; }

  get problem() { return this.problems[this.place]; }

  /**
   * Begins with the first problem of a grade that is not solved yet.
   * @param {string} game
   * @param {number} grade
   */
  async begin(game, grade) {
    await moreTexts();
    const problems = (await problemsOf(game)).filter((problem) => problem.grade === grade);
    this.game = game;
    this.problems = problems;
    await this.pose(this.following(-1));
  }

  /**
   * The next problem that is not solved, or simply the next one.
   * @param {number} place
   */
  following(place) {
    const { length } = this.problems, solved = solvedOf(this.game);
    for (let step = 1; step <= length; step++) {
      const next = (place + step) % length;
      if (!solved.has(this.problems[next].key)) return next;
    }
    return (place + 1) % length;
  }

  /** @param {number} place */
  async pose(place) {
    this.place = place;
    this.stage = "asked";
    const person = { kind: "person", level: 1 };
    await this.acts.ask({ op: "new", game: this.game, seats: [person, person], clock: null, handicap: "none", size: 0, position: this.problem.position, course: true });
    this.show();
  }

  stop() {
    if (!this.active) return;
    this.problems = [];
    at("course").hidden = true;
  }

  /**
   * Looks at the last turn: takes a wrong one back, and answers a right one.
   * @param {PlayState} state
   */
  judge(state) {
    if (!this.active || this.stage === "solved" || this.stage === "shown") return this.show();
    const { turns, also } = this.problem, made = pathTo(state.nodes, state.live).map((id) => state.nodes[id].t), step = made.length - 1;
    this.made = pathTo(state.nodes, state.live).map((id) => turnText(state.nodes[id])).join(" ");
    // The turn of the other side was made by this page.
    if (step < 0 || step % 2) return this.show();
    const last = step === turns.length - 1, right = made[step] === turns[step] || last && also.includes(made[step]);
    this.stage = !right ? "wrong" : last ? "solved" : "on";
    if (!right) this.acts.ask({ op: "take-back" });
    else if (!last) this.acts.ask({ op: "turn", turn: turns[step + 1] });
    else like("solved-" + this.game, [...solvedOf(this.game).add(this.problem.key)].join(" "));
    this.show();
  }

  show() {
    if (!this.active) return;
    const host = at("course"), { problem, stage, game } = this, { style } = look(game), open = stage !== "solved" && stage !== "shown";
    const button = (/** @type {string} */ name, /** @type {string} */ key, /** @type {() => unknown} */ act, /** @type {string} */ kind = "") => {
      const node = make("button", { type: "button", "data-do": name, class: kind }, say(key));
      node.onclick = act;
      return node;
    };
    const second = style === "discs" ? problem.position.endsWith("O") : problem.position.split(" ")[2] === (style === "stones" ? "b" : "w");
    const begins = style === "pieces" ? problem.turns[0].slice(0, problem.turns[0][1] === "*" ? 1 : 2) : problem.turns[0].replace("+", "").split(/[,@]/)[0][0];
    const result = problem.values.length ? say("practice-values", { best: problem.values[0], second: problem.values[1] }) : "";
    const texts = { asked: "", on: say("practice-go-on"), wrong: say("practice-wrong"), hint: say("practice-hint", { from: placeText(game, begins) }), solved: `${say("practice-right", { turns: this.made })} ${result}`, shown: result };
    const acts = open ? [button("hint", "hint", () => { this.stage = "hint"; this.show(); }), button("solution", "practice-show", () => { this.stage = "shown"; this.show(); this.acts.solution(problem.turns); })] : [button("again", "course-again", () => this.pose(this.place))];
    acts.push(button("next", "practice-next", () => this.pose(this.following(this.place)), open ? "" : "strong"), button("list", "practice-list", () => this.acts.list()), button("close", "close", () => this.stop()));
    host.hidden = false;
    host.dataset.solved = String(stage === "solved");
    host.dataset.stage = stage;
    const task = say("practice-task-" + style, { colour: colourName(game, second ? 1 : 0), plies: problem.turns.length });
    update(host, make("small", {}, `${say("practice")} · ${gradeText(game, problem.grade)} · ${this.place + 1}/${this.problems.length}`), make("p", { class: "task" }, task),
      make("p", { class: stage === "wrong" ? "wrong" : stage === "solved" ? "right" : "", "aria-live": "polite" }, texts[stage]), make("div", { class: "buttons" }, ...acts));
  }
}
