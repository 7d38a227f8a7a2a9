// First steps in Sygo: small positions judged by the rules of the program, and a whole game at the end.
import { at, make, update } from "../dom.js";
import { moreTexts, say } from "../words.js";

/**
 * The stones of a turn: what grows, and what is placed.
 * @param {string} turn
 */
function parts(turn) {
  const [growth, placed = ""] = turn.startsWith("+") ? turn.slice(1).split("@") : ["", turn === "pass" ? "" : turn];
  return { growth: growth ? growth.split(",") : [], placed };
}

/**
 * Whether two points are next to each other.
 * @param {string} a @param {string} b
 */
const touch = (a, b) => Math.abs(a.charCodeAt(0) - b.charCodeAt(0)) + Math.abs(Number(a.slice(1)) - Number(b.slice(1))) === 1;

/** @typedef {ReturnType<typeof parts>} Parts */

/**
 * Position, and what is wrong with a finished turn: the key of a text, or nothing if it is right. The points that each
 * task names are those to be pressed, in this order.
 * @type {{ position: string, wrong: (turn: Parts, text: string) => string | false }[]}
 */
const STEPS = [
  { position: "5/5/5/5/5 w - 0 1", wrong: ({ placed }) => !placed && "want-placement" },
  { position: "5/5/2w2/5/4b w - 0 3", wrong: ({ growth, placed }) => (growth.length > 0 || !placed) && "want-placement" },
  { position: "5/1w3/4b/3w1/b4 w g 0 5", wrong: ({ growth }) => growth.length < 2 && "want-two" },
  { position: "5/5/1w1w1/5/2b2 w g 0 5", wrong: ({ growth }) => growth.join() !== "c3" && "want-one-for-both" },
  { position: "5/5/3w1/1w3/4b w g 0 7", wrong: ({ growth }) => (growth.length !== 2 || !touch(growth[0], growth[1])) && "want-touching" },
  { position: "5/5/1b3/bwb2/w1wb1 b g 0 10", wrong: ({ placed }) => placed !== "b1" && "want-capture" },
  { position: "5/5/w4/5/bw3 w g 0 9", wrong: ({ growth }) => !growth.includes("a2") && "want-capture" },
  { position: "5/1w3/1wbw1/2w2/5 w g 0 9", wrong: ({ growth }) => (!growth.includes("c4") || growth.length < 2) && "want-grow-and-capture" },
  { position: "5/5/2w2/bb3/1b3 w - 0 7", wrong: ({ growth, placed }) => (growth.length > 0 || !placed) && "want-placement" },
  { position: "5/1b1w1/5/1w1b1/5 b - 0 6", wrong: ({ growth, placed }) => (!growth.length || !placed) && "want-balance" },
  { position: "5/1b1w1/5/1w1b1/5 w - 0 7", wrong: ({ growth }) => !growth.length && "want-growth" },
  { position: "1w3/1w1b1/1w1b1/1w1b1/5 w g 0 15", wrong: ({ growth }) => !growth.includes("b1") && "want-wall" },
  { position: "2wb1/2wb1/2wb1/2wb1/2wb1 w g 1 21", wrong: (_, text) => text !== "pass" && "want-pass" },
];

export class Course {
  /** @param {(wish: object) => Promise<void>} ask */
  constructor(ask) {
    this.ask = ask;
    this.step = -1;
    this.solved = false;
    this.verdict = "";
  }

  get active() { return this.step >= 0; }

  /** Whether the whole game at the end is being played. */
  get isGame() { return this.step === STEPS.length; }

  /**
   * Begins at a step.
   * @param {number} step
   */
  async begin(step) {
    await moreTexts();
    this.step = step;
    this.solved = false;
    this.verdict = "";
    const person = { kind: "person", level: 1 }, seats = [person, this.isGame ? { kind: "engine", level: 1 } : person];
    await this.ask({ op: "new", game: "sygo", seats, clock: null, handicap: "none", size: 5, position: this.isGame ? null : STEPS[step].position, course: true });
    this.show();
  }

  stop() {
    this.step = -1;
    this.show();
  }

  /**
   * Looks at a turn that was just made.
   * @param {PlayState} state
   */
  judge(state) {
    if (!this.active || this.solved || state.nodes.length < 2) return this.show();
    if (this.isGame) {
      this.solved = state.over !== null;
      this.verdict = this.solved ? say("course-end") : "";
      return this.show();
    }
    const text = state.nodes[1].t, wrong = STEPS[this.step].wrong(parts(text), text);
    this.solved = !wrong;
    this.verdict = wrong ? say("course-not", { why: say(wrong) }) : say("course-right");
    this.show();
  }

  show() {
    const host = at("course");
    host.hidden = !this.active;
    if (!this.active) return;
    const number = this.step + 1, count = STEPS.length + 1;
    const button = (/** @type {string} */ name, /** @type {string} */ key, /** @type {() => unknown} */ act, /** @type {string} */ kind = "") => {
      const node = make("button", { type: "button", "data-course": name, class: kind }, say(key));
      node.onclick = act;
      return node;
    };
    const acts = [button("again", "course-again", () => this.begin(this.step))];
    if (this.step > 0) acts.unshift(button("back", "course-back", () => this.begin(this.step - 1)));
    if (this.isGame) acts.push(button("close", "close", () => this.stop(), this.solved ? "strong" : ""));
    else acts.push(button("next", "course-next", () => this.begin(this.step + 1), this.solved ? "strong" : ""));
    host.dataset.solved = String(this.solved);
    update(host,
      make("small", {}, `${say("course")} · ${number}/${count}`), make("h3", {}, say(`course-${number}-title`)), make("p", {}, say(`course-${number}`)), make("p", { class: "task" }, say(`course-${number}-task`)),
      make("p", { class: this.solved ? "right" : "wrong", "aria-live": "polite" }, this.verdict), make("div", { class: "buttons" }, ...acts));
  }
}
