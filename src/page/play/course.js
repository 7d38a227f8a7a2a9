// First steps in Sygo: six small positions, judged by the rules of the program.
import { at, make } from "../dom.js";
import { say } from "../words.js";

/**
 * Position, and which finished turns are right.
 * @type {{ position: string, right: (turn: string) => boolean }[]}
 */
const STEPS = [
  { position: "5/5/5/5/5 w - 0 1", right: (turn) => turn !== "pass" },
  { position: "5/1w3/4b/3w1/b4 w g 0 5", right: (turn) => turn.startsWith("+") && turn.split(",").length === 2 },
  { position: "5/5/1w1w1/5/2b2 w g 0 5", right: (turn) => turn === "+c3" },
  { position: "5/5/1b3/bwb2/w1wb1 b g 0 10", right: (turn) => turn === "b1" },
  { position: "5/1w3/1wbw1/2w2/5 w g 0 9", right: (turn) => /^\+/.test(turn) && turn.includes("c4") && turn.includes(",") },
  { position: "5/1b1w1/5/1w1b1/5 b - 0 6", right: (turn) => turn.includes("@") },
];

export class Course {
  /** @param {(wish: object) => Promise<void>} ask */
  constructor(ask) {
    this.ask = ask;
    this.step = -1;
    this.solved = false;
  }

  get active() { return this.step >= 0; }

  /**
   * Begins at a step.
   * @param {number} step
   */
  async begin(step) {
    this.step = step;
    this.solved = false;
    this.verdict = "";
    await this.ask({ op: "new", game: "sygo", seats: [{ kind: "person", level: 1 }, { kind: "person", level: 1 }], clock: null, handicap: "none", size: 5, position: STEPS[step].position, course: true });
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
    const turn = state.nodes[state.nodes.length - 1].t;
    this.solved = STEPS[this.step].right(turn);
    this.verdict = this.solved ? say("course-right") : say("course-not", { why: say(`course-${this.step + 1}`) });
    this.show();
  }

  show() {
    const host = at("course");
    host.hidden = !this.active;
    if (!this.active) return;
    const last = this.step === STEPS.length - 1, number = this.step + 1;
    const again = make("button", { type: "button", "data-course": "again" }, say("course-again"));
    const next = make("button", { type: "button", "data-course": "next", class: this.solved ? "strong" : "" }, say(last ? "close" : "course-next"));
    again.addEventListener("click", () => this.begin(this.step));
    next.addEventListener("click", () => (last ? this.stop() : this.begin(this.step + 1)));
    host.replaceChildren(
      make("small", {}, `${say("course")} · ${number}/${STEPS.length}`), make("h3", {}, say(`course-${number}-title`)), make("p", {}, say(`course-${number}`)),
      make("p", { class: this.solved ? "right" : "wrong", "aria-live": "polite" }, this.verdict || ""), make("div", { class: "buttons" }, again, next));
    if (last && this.solved) host.append(make("p", {}, say("course-end")));
  }
}
