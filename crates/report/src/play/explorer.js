// What was played from the position that is shown, in the games that are kept and in files that were opened.
import { at, make } from "../dom.js";
import { colourName, say, tongue, turnText } from "../words.js";
import { explore } from "./talk.js";

export class Explorer {
  /** @param {(turn: string) => void} pick */
  constructor(pick) {
    this.pick = pick;
    this.shown = "";
  }

  /**
   * Shows the moves, if the list is open and they are not there yet.
   * @param {PlayState} state
   */
  async show({ room, node, game }) {
    const box = /** @type {HTMLDetailsElement} */ (at("explorer")), host = at("explorer-moves"), wanted = [room, node, tongue()].join();
    if (!box.open || this.shown === wanted) return;
    this.shown = wanted;
    const { moves } = await explore(room, node).catch(() => ({ moves: [] }));
    if (this.shown !== wanted) return;
    host.dataset.node = String(node);
    if (!moves.length) return host.replaceChildren(make("p", { class: "soft" }, say("explorer-none")));
    const sides = [0, 1].map((side) => colourName(game, side));
    host.replaceChildren(...moves.map((move) => {
      const [first, drawn, second] = move.results, parts = [["first", first], ["drawn", drawn], ["second", second]];
      const bar = make("span", { class: "results", "aria-hidden": "true" });
      for (const [kind, count] of parts) {
        const part = make("i", { class: kind });
        part.style.flexGrow = String(count);
        bar.append(part);
      }
      const row = make("button", { type: "button", class: "line", "data-explore": move.t, title: `${sides[0]} – ${sides[1]}` }, make("b", {}, turnText(move)), make("span", {}, say("labelled", { label: say("explorer-games"), text: move.games })), make("small", {}, say("explorer-results", { first, drawn, second })), bar);
      row.addEventListener("click", () => this.pick(move.t));
      return row;
    }));
  }
}
