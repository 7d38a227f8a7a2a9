// The page's side of the conversation with the program.
import { events, request } from "./wire.js";

/** What the program refused, and why. */
export class Refused extends Error {
  /** @param {Reason} reason */
  constructor(reason) {
    super(reason.text || reason.code);
    this.reason = reason;
  }
}

/** @param {string} path @param {object} body @returns {Promise<any>} */
async function post(path, body) {
  const answer = await request(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  const found = await answer.json();
  if (!answer.ok) throw new Refused(found);
  return found;
}

/**
 * A room for this tab; with what it remembers of an earlier one.
 * @param {object} wanted
 * @returns {Promise<PlayState>}
 */
export const open = (wanted) => post("/api/open", wanted);

/**
 * Settled when the last wish has been answered: requests on several connections could overtake each other.
 * @type {Promise<unknown>}
 */
let answered = Promise.resolve();

/**
 * Asks for something in the room, after everything that was asked before.
 * @param {string} room
 * @param {object} wish
 * @returns {Promise<PlayState>}
 */
export function ask(room, wish) {
  const answer = answered.then(() => post("/api/room/" + encodeURIComponent(room), wish));
  answered = answer.catch(() => {});
  return answer;
}

/**
 * Reads a file or a text into a new room; of several games there is a list until one is picked.
 * @param {string} room
 * @param {Blob | string} content
 * @param {number} [pick]
 * @returns {Promise<PlayState | { games: FileGame[] }>}
 */
export async function load(room, content, pick) {
  const wanted = pick === undefined ? "" : `?pick=${pick}`;
  const answer = await request("/api/room/" + encodeURIComponent(room) + "/load" + wanted, { method: "POST", headers: { "content-type": "application/octet-stream" }, body: content });
  const found = await answer.json();
  if (!answer.ok) throw new Refused(found);
  return found;
}

/**
 * The positions of a line of turns.
 * @param {string} room
 * @param {number} node
 * @param {string[]} turns
 * @returns {Promise<Frame[]>}
 */
export const line = (room, node, turns) => post("/api/room/" + encodeURIComponent(room) + "/line", { node, turns });

/**
 * What was played from a position in other games.
 * @param {string} room
 * @param {number} node
 * @returns {Promise<{ moves: Continuation[] }>}
 */
export const explore = (room, node) => post("/api/room/" + encodeURIComponent(room) + "/explore", { node });

/**
 * Every game that is kept, the latest first.
 * @returns {Promise<{ folder: string | null, host: boolean, games: GameEntry[], unreadable: UnreadableGame[] }>}
 */
export async function games() {
  const answer = await request("/api/games");
  if (!answer.ok) throw new Refused(await answer.json());
  return answer.json();
}

/**
 * Renames or removes a game of the list.
 * @param {string} id
 * @param {object} wish
 */
export const changeGame = (id, wish) => post("/api/games/" + encodeURIComponent(id), wish);

/**
 * The record in this form.
 * @param {string} room
 * @param {string} form
 * @returns {Promise<{ name: string, blob: Blob }>}
 */
export async function record(room, form) {
  const answer = await request("/api/room/" + encodeURIComponent(room) + "/record/" + form);
  if (!answer.ok) throw new Refused(await answer.json());
  const name = /filename="([^"]*)"/.exec(answer.headers.get("content-disposition") || "")?.[1] || "game." + form;
  return { name, blob: await answer.blob() };
}

/**
 * Everything that happens in the room, as it happens; returns what ends it.
 * @param {string} room
 * @param {{ state: (state: PlayState) => void, search: (report: SearchReport) => void, lost: () => void, back: () => void }} hear
 */
export function listen(room, hear) {
  const source = events(room);
  source.addEventListener("state", (event) => hear.state(JSON.parse(event.data)));
  source.addEventListener("search", (event) => hear.search(JSON.parse(event.data)));
  source.addEventListener("open", () => hear.back());
  source.addEventListener("error", () => {
    hear.lost();
    if (source.readyState === EventSource.CLOSED) source.close();
  });
  return source;
}
