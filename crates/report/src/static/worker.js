// Runs the program of an exported page: rooms and engines as WebAssembly, one thread, no files. The browser's database
// keeps the games.
"use strict";

/**
 * The part of a worker's global scope that is used.
 * @type {any}
 */
const scope = self;
const STORE = "games";

/** @type {any} */
let program = null;
/** @type {IDBDatabase | null} */
let database = null;
/**
 * Messages that are not served yet.
 * @type {any[]}
 */
const inbox = [];
let wake = () => {};
/**
 * Names of the games that the program was given.
 * @type {Set<string>}
 */
const given = new Set();

const encoder = new TextEncoder(), decoder = new TextDecoder();

/**
 * Calls the program.
 * @param {object} call
 * @param {Uint8Array} [body]
 */
function ask(call, body = new Uint8Array()) {
  const line = encoder.encode(JSON.stringify(call) + "\n"), { memory, kaeshi_input, kaeshi_call, kaeshi_output } = program;
  const place = kaeshi_input(line.length + body.length), input = new Uint8Array(memory.buffer, place, line.length + body.length);
  input.set(line);
  input.set(body, line.length);
  const length = kaeshi_call(), output = new Uint8Array(memory.buffer, kaeshi_output(), length), end = output.indexOf(10);
  return { ...JSON.parse(decoder.decode(output.subarray(0, end))), body: output.slice(end + 1) };
}

/** @param {IDBRequest | IDBTransaction} asked @returns {Promise<any>} */
const settled = (asked) => new Promise((resolve, reject) => {
  /** @type {any} */ (asked)["result" in asked ? "onsuccess" : "oncomplete"] = () => resolve("result" in asked ? asked.result : undefined);
  /** @type {any} */ (asked).onerror = () => reject(asked.error);
  if (!("result" in asked)) asked.onabort = () => reject(asked.error);
});

/** Opens the database; without one, as in some private windows, games last as long as the page. */
async function openDatabase() {
  try {
    const opening = indexedDB.open("kaeshi", 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore(STORE);
    database = await settled(opening);
  } catch (error) {
    console.warn(error);
  }
}

/** Gives the program all games that were kept, by other pages too. */
async function giveGames() {
  if (!database) return;
  const store = database.transaction(STORE).objectStore(STORE);
  const [names, texts] = await Promise.all([settled(store.getAllKeys()), settled(store.getAll())]);
  for (const [index, id] of names.entries()) ask({ op: "put", id, kept: true }, encoder.encode(texts[index]));
  for (const id of given) if (!names.includes(id)) ask({ op: "put", id, kept: false });
  given.clear();
  for (const id of names) given.add(id);
}

/**
 * Keeps what has changed before the page hears of it.
 * @param {[string, string | null][]} changed
 */
async function keep(changed) {
  if (!database || !changed.length) return;
  const transaction = database.transaction(STORE, "readwrite"), store = transaction.objectStore(STORE);
  for (const [id, text] of changed) {
    if (text === null) store.delete(id);
    else store.put(text, id);
  }
  transaction.commit?.();
  await settled(transaction);
}

/** Whether no other page of this browser plays these games; known by a lock that lasts as long as this worker. */
function isAlone() {
  const { locks } = navigator;
  if (!locks) return true;
  return new Promise((resolve) => locks.request("kaeshi", { ifAvailable: true }, (lock) => {
    resolve(Boolean(lock));
    return lock ? new Promise(() => {}) : undefined;
  }));
}

/** @param {string} game */
async function begin(game) {
  const [answer] = await Promise.all([fetch("kaeshi-play.wasm"), openDatabase()]);
  if (!answer.ok) throw new Error(`kaeshi-play.wasm: ${answer.status}`);
  const text = (/** @type {number} */ place, /** @type {number} */ length) => decoder.decode(new Uint8Array(program.memory.buffer, place, length));
  const kaeshi = {
    now_ms: () => performance.timeOrigin + performance.now(),
    panicked: (/** @type {number} */ place, /** @type {number} */ length) => console.warn(text(place, length)),
  };
  // Not by streaming, which file servers without the type application/wasm do not allow.
  const { instance } = await WebAssembly.instantiate(await answer.arrayBuffer(), { kaeshi });
  program = instance.exports;
  ask({ op: "begin", game, alone: await isAlone() });
  await giveGames();
}

/** Serves messages, and polls the engines between them. */
async function run() {
  for (;;) {
    const message = inbox.shift();
    let answer;
    if (!message) answer = ask({ op: "poll" });
    else if (message.game !== undefined) {
      await begin(message.game);
      continue;
    } else {
      // Other pages may have kept games.
      if (["/api/games", "/api/open"].includes(message.call.path)) await giveGames();
      answer = ask(message.call, message.body);
    }
    if (answer.changed.length) await keep(answer.changed).catch((error) => console.warn(error));
    if (message) scope.postMessage({ number: message.number, events: answer.events, status: answer.status, kind: answer.kind, file: answer.file, body: answer.body });
    else if (answer.events.length) scope.postMessage({ events: answer.events });
    if (!message && !inbox.length) await pause(answer.wait);
  }
}

const { port1: next, port2: turn } = new MessageChannel();

/**
 * Waits for this many milliseconds, or for a message.
 * @param {number | null} wait
 */
const pause = (wait) => new Promise((resolve) => {
  wake = () => resolve(undefined);
  turn.onmessage = wake;
  // A message to itself comes behind those that wait, and sooner than any timer.
  if (wait === 0) next.postMessage(0);
  else if (wait !== null) setTimeout(wake, Math.min(wait, 2 ** 30));
});

scope.onmessage = (/** @type {MessageEvent} */ { data }) => {
  inbox.push(data);
  wake();
  if (data.game !== undefined) run().catch((error) => scope.postMessage({ failure: String(error) }));
};
