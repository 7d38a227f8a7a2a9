// A line of turns shown on the board without being played; one click leads back.
import { at, make, update } from "../dom.js";
import { say, turnText } from "../words.js";
import { line } from "./talk.js";

export class Tryout {
  /** @param {{ changed: () => void, keep: (turns: string[]) => void }} acts */
  constructor(acts) {
    this.acts = acts;
    /** @type {Frame[]} */
    this.frames = [];
    /** Turns shown. */
    this.place = 0;
    this.mayKeep = false;
  }

  get active() { return this.frames.length > 0; }

  /** The position that is shown. */
  get frame() { return this.frames[this.place - 1]; }

  /**
   * Shows a line from a node.
   * @param {PlayState} state
   * @param {string[]} turns
   */
  async begin(state, turns) {
    this.frames = await line(state.room, state.node, turns);
    this.place = Math.min(1, this.frames.length);
    this.mayKeep = state.mode === "study";
    this.acts.changed();
  }

  /** @param {number} by */
  step(by) {
    this.place = Math.max(1, Math.min(this.frames.length, this.place + by));
    this.acts.changed();
  }

  stop() {
    if (!this.active) return;
    this.frames = [];
    this.acts.changed();
  }

  /** Writes where one is, and the way back. */
  show() {
    const host = at("tryout");
    host.hidden = !this.active;
    if (!this.active) return host.replaceChildren();
    const button = (/** @type {string} */ id, /** @type {string} */ text, /** @type {() => void} */ act, /** @type {string} */ kind = "") => {
      const node = make("button", { type: "button", id, class: kind }, text);
      node.onclick = act;
      return node;
    };
    const back = button("tryout-before", "◀", () => this.step(-1)), next = button("tryout-after", "▶", () => this.step(1));
    back.setAttribute("aria-label", say("back"));
    next.setAttribute("aria-label", say("next"));
    if (this.place === 1) back.setAttribute("disabled", "");
    if (this.place === this.frames.length) next.setAttribute("disabled", "");
    const acts = [back, next, button("tryout-end", say("to-the-game"), () => this.stop(), "strong")];
    const turns = this.frames.slice(0, this.place).map((frame) => frame.t);
    if (this.mayKeep) acts.push(button("tryout-keep", say("keep-line"), () => { this.stop(); this.acts.keep(turns); }));
    update(host, make("p", {}, make("b", {}, say("tryout", { place: this.place, count: this.frames.length })), ` ${turnText(this.frame)}`), make("div", { class: "buttons" }, ...acts));
  }
}
