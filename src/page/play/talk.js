// The page's side of the conversation with the program.

/** The token of the link, where the program wants one. */
const token = new URLSearchParams(location.search).get("token") || "";
const suffix = token ? "?token=" + encodeURIComponent(token) : "";

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
  const answer = await fetch(path + suffix, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  const found = await answer.json();
  if (!answer.ok) throw new Refused(found);
  return found;
}

/**
 * A room of its own for this tab; with what it remembers of an earlier one.
 * @param {object} wanted
 * @returns {Promise<PlayState>}
 */
export const open = (wanted) => post("/api/open", wanted);

/**
 * Asks for something in the room.
 * @param {string} room
 * @param {object} wish
 * @returns {Promise<PlayState>}
 */
export const ask = (room, wish) => post("/api/room/" + encodeURIComponent(room), wish);

/**
 * Reads a file or a text into the room.
 * @param {string} room
 * @param {Blob | string} content
 * @returns {Promise<PlayState>}
 */
export async function load(room, content) {
  const answer = await fetch("/api/room/" + encodeURIComponent(room) + "/load" + suffix, { method: "POST", headers: { "content-type": "application/octet-stream" }, body: content });
  const found = await answer.json();
  if (!answer.ok) throw new Refused(found);
  return found;
}

/**
 * The record in this form.
 * @param {string} room
 * @param {string} form
 * @returns {Promise<{ name: string, blob: Blob }>}
 */
export async function record(room, form) {
  const answer = await fetch("/api/room/" + encodeURIComponent(room) + "/record/" + form + suffix);
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
  const source = new EventSource("/api/room/" + encodeURIComponent(room) + "/events" + suffix);
  source.addEventListener("state", (event) => hear.state(JSON.parse(event.data)));
  source.addEventListener("search", (event) => hear.search(JSON.parse(event.data)));
  source.addEventListener("open", () => hear.back());
  source.addEventListener("error", () => {
    hear.lost();
    if (source.readyState === EventSource.CLOSED) source.close();
  });
  return source;
}
