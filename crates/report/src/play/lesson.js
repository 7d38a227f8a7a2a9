// Learning from one's mistakes: after a review, a better move is asked for at each of them.
import { at, make, update } from "../dom.js";
import { placeText, say, turnText } from "../words.js";
import { lineFrom } from "./panel.js";

/** Grades that are asked about: mistakes and blunders. */
const LEAST = 2;

export class Lesson {
  /** @param {{ go: (node: number) => void, changed: () => void }} acts */
  constructor(acts) {
    this.acts = acts;
    /**
     * Nodes of the bad turns.
     * @type {number[]}
     */
    this.nodes = [];
    this.place = 0;
    /** @type {"asked" | "wrong" | "hint" | "found" | "shown"} */
    this.stage = "asked";
    this.found = 0;
  }

  get active() { return this.nodes.length > 0; }

  /**
   * The bad turns of the persons, or of both sides where neither or both are persons.
   * @param {PlayState} state
   */
  static mistakes({ nodes, seats }) {
    const persons = [0, 1].filter((side) => seats[side].kind === "person");
    return lineFrom(nodes, 0).filter((id) => (nodes[id].g || 0) >= LEAST && nodes[id].b && (persons.length !== 1 || nodes[id].by === persons[0]));
  }

  /** @param {PlayState} state */
  begin(state) {
    this.nodes = Lesson.mistakes(state);
    this.found = 0;
    this.ask(state, 0);
  }

  /** @param {PlayState} state @param {number} place */
  ask(state, place) {
    if (place >= this.nodes.length) {
      this.stop();
      return;
    }
    this.place = place;
    this.stage = "asked";
    this.acts.go(state.nodes[this.nodes[place]].parent);
    this.acts.changed();
  }

  stop() {
    this.nodes = [];
    this.acts.changed();
  }

  /**
   * The node of the bad turn, if the position before it is shown.
   * @param {PlayState} state
   */
  asked(state) {
    const id = this.nodes[this.place], bad = state.nodes[id];
    return this.active && bad?.parent === state.node ? bad : null;
  }

  /**
   * Looks at a turn that was made on the board; whether it was taken as an answer.
   * @param {PlayState} state
   * @param {string} turn
   */
  answer(state, turn) {
    const bad = this.asked(state);
    if (!bad || this.stage === "found" || this.stage === "shown") return false;
    this.stage = turn === bad.b?.t ? "found" : "wrong";
    if (this.stage === "found") this.found++;
    this.acts.changed();
    return true;
  }

  /** @param {PlayState} state */
  show(state) {
    const host = at("lesson"), bad = this.asked(state);
    host.hidden = !this.active;
    if (!this.active) return host.replaceChildren();
    const button = (/** @type {string} */ id, /** @type {string} */ key, /** @type {() => void} */ act, /** @type {string} */ kind = "") => {
      const node = make("button", { type: "button", id, class: kind }, say(key));
      node.onclick = act;
      return node;
    };
    const acts = [], parts = [make("small", {}, `${say("lesson")} · ${this.place + 1}/${this.nodes.length}`)];
    if (!bad?.b) acts.push(button("lesson-back", "lesson-back", () => this.ask(state, this.place), "strong"));
    else {
      const best = turnText(bad.b), begins = bad.b.t.replace(/[*@].*/, "").slice(0, bad.b.t[1] === "*" ? 1 : 2);
      const texts = { asked: say("lesson-ask", { turn: turnText(bad) }), wrong: say("lesson-wrong"), hint: say("lesson-hint", { from: placeText(state.game, begins) }), found: say("lesson-found", { turn: best }), shown: say("lesson-shown", { turn: best }) };
      parts.push(make("p", { class: this.stage === "found" ? "right" : this.stage === "wrong" ? "wrong" : "", "aria-live": "polite" }, texts[this.stage]));
      const open = this.stage !== "found" && this.stage !== "shown", last = this.place === this.nodes.length - 1;
      if (open) acts.push(button("lesson-hint", "hint", () => { this.stage = "hint"; this.acts.changed(); }), button("lesson-show", "lesson-show", () => { this.stage = "shown"; this.acts.changed(); }));
      acts.push(button("lesson-next", last ? "close" : "course-next", () => this.ask(state, this.place + 1), open ? "" : "strong"));
    }
    if (!bad?.b || this.place < this.nodes.length - 1) acts.push(button("lesson-end", "close", () => this.stop()));
    host.dataset.stage = this.stage;
    update(host, ...parts, make("div", { class: "buttons" }, ...acts));
  }
}
