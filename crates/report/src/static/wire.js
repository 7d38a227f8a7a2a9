// How an exported page reaches the program: by messages to a worker, which runs it as WebAssembly. A page with a server
// has `play/wire.js` in this place.

/** Whether the program runs inside the page. */
export const hosted = true;

/** @typedef {{ status: number, kind: string, file: string | null, body: Uint8Array, reason?: string }} Answer */

/** @type {Worker | null} */
let worker = null;
/**
 * Calls that wait for their answer, by number.
 * @type {Map<number, (answer: Answer) => void>}
 */
const waiting = new Map();
let calls = 0;

/** What happens in the room; it has the members of `EventSource` that the page uses. */
class Events extends EventTarget {
  /** @type {number} */
  readyState = EventSource.CONNECTING;

  close() {
    this.readyState = EventSource.CLOSED;
  }
}

let source = new Events();

/** @param {object} call @param {BodyInit | null} [body] @returns {Promise<Answer>} */
async function ask(call, body = null) {
  const bytes = new Uint8Array(await new Response(body).arrayBuffer());
  return new Promise((resolve) => {
    calls += 1;
    waiting.set(calls, resolve);
    running().postMessage({ number: calls, call, body: bytes }, [bytes.buffer]);
  });
}

/** The worker; one that has failed is replaced by another, which has the games that were kept. */
function running() {
  if (worker) return worker;
  const started = new Worker("worker.js");
  started.postMessage({ game: document.documentElement.dataset.game });
  started.addEventListener("message", ({ data }) => {
    if (data.failure !== undefined) return failed(started, data.failure);
    for (const [name, text] of data.events || []) source.dispatchEvent(new MessageEvent(name, { data: text }));
    if (data.number === undefined) return;
    waiting.get(data.number)?.(data);
    waiting.delete(data.number);
  });
  started.addEventListener("error", (event) => failed(started, event.message));
  worker = started;
  return started;
}

/** @param {Worker} started @param {string} reason */
function failed(started, reason) {
  if (worker !== started) return;
  console.warn(reason);
  started.terminate();
  worker = null;
  const body = new TextEncoder().encode(JSON.stringify({ code: "engine-failed", text: reason }));
  for (const resolve of waiting.values()) resolve({ status: 500, kind: "application/json", file: null, body, reason });
  waiting.clear();
  source.readyState = EventSource.CLOSED;
  source.dispatchEvent(new Event("error"));
}

/**
 * The answer to a request, as a server would give it.
 * @param {string} path
 * @param {RequestInit} [init]
 * @returns {Promise<Response>}
 */
export async function request(path, init = {}) {
  const [place, query = ""] = path.split("?"), kind = new Headers(init.headers).get("content-type") || "";
  const { status, kind: type, file, body } = await ask({ op: "request", method: init.method || "GET", path: place, query, kind }, init.body);
  /** @type {Record<string, string>} */
  const headers = { "content-type": type };
  if (file) headers["content-disposition"] = `attachment; filename="${file}"`;
  return new Response(/** @type {BodyInit} */ (body), { status, headers });
}

/**
 * What happens in a room, as events.
 * @param {string} room
 * @returns {EventSource}
 */
export function events(room) {
  source.close();
  const opened = source = new Events();
  ask({ op: "listen", room }).then(({ status }) => {
    if (opened !== source) return;
    opened.readyState = status === 200 ? EventSource.OPEN : EventSource.CLOSED;
    opened.dispatchEvent(new Event(status === 200 ? "open" : "error"));
  });
  return /** @type {EventSource} */ (/** @type {unknown} */ (opened));
}

// After the first visit the page works without a network. Without a secure context it does not.
navigator.serviceWorker?.register("offline.js").catch((error) => console.warn(error));
