// The engine as a module: lines of USI or UGI in, lines out. Browsers and Node alike.

/** Games that the engine plays. */
export const GAMES = ['shogi', 'reversi', 'sygo'];

/** What a line says that ends a search: its answer is wanted at once, not with the next poll. */
const STOP = /^\s*(stop|gameover)(\s|$)/;

/**
 * Makes an engine on this thread. It searches while `poll` is called, which takes some tens of milliseconds; call it again
 * and again, about every 10 ms, from `go` to `bestmove` or `checkmate`.
 *
 * @param {import('./index.d.ts').EngineOptions} [options]
 * @returns {Promise<import('./index.d.ts').Engine>}
 */
export default async function createEngine(options = {}) {
  const { game = 'shogi', locateFile, printErr = () => {} } = options;
  const module = options.module ?? await compile(locateFile?.('kaeshi.wasm') ?? new URL('./kaeshi.wasm', import.meta.url));
  /** @type {WebAssembly.Memory} */
  let memory;
  const text = (address, length) => new TextDecoder().decode(new Uint8Array(memory.buffer, address, length));
  const kaeshi = {
    now_ms: () => performance.timeOrigin + performance.now(),
    panicked: (address, length) => printErr(text(address, length)),
  };
  const { exports } = await WebAssembly.instantiate(module, { kaeshi });
  memory = exports.memory;
  return new LocalEngine(exports, text, game, printErr);
}

async function compile(place) {
  const url = new URL(place, import.meta.url);
  if (url.protocol === 'file:' && typeof process !== 'undefined') {
    const { readFile } = await import('node:fs/promises');
    return WebAssembly.compile(await readFile(url));
  }
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status} ${response.statusText}`);
  // Not by streaming, which file servers without the type application/wasm do not allow.
  return WebAssembly.compile(await response.arrayBuffer());
}

class LocalEngine {
  #exports;
  #text;
  #printErr;
  #listeners = new Set();
  /** Whether nothing may be printed any more. */
  #ended = false;

  constructor(exports, text, game, printErr) {
    this.#exports = exports;
    this.#text = text;
    this.#printErr = printErr;
    this.#input(game);
    if (!exports.kaeshi_open()) throw new Error(`kaeshi-wasm: no game '${game}'; there are: ${GAMES.join(', ')}`);
  }

  postMessage(line) {
    if (this.#ended) return;
    this.#call(() => {
      this.#input(line);
      this.#exports.kaeshi_post();
      if (STOP.test(line)) this.#exports.kaeshi_poll();
    });
    if (/^\s*quit(\s|$)/m.test(line)) this.#ended = true;
  }

  /** Searches for some tens of milliseconds; whether the search goes on. */
  poll() {
    return !this.#ended && this.#call(() => this.#exports.kaeshi_poll() !== 0) === true;
  }

  addMessageListener(listener) {
    this.#listeners.add(listener);
  }

  removeMessageListener(listener) {
    this.#listeners.delete(listener);
  }

  terminate() {
    this.#ended = true;
    this.#listeners.clear();
  }

  #input(line) {
    const bytes = new TextEncoder().encode(line);
    const address = this.#exports.kaeshi_input(bytes.length);
    new Uint8Array(this.#exports.memory.buffer, address, bytes.length).set(bytes);
  }

  /** Does what the engine is called for, and passes on what it prints. */
  #call(work) {
    let output;
    let result;
    try {
      result = work();
      const length = this.#exports.kaeshi_output();
      output = this.#text(this.#exports.kaeshi_output_address(), length);
    } catch (error) {
      // A panic has ended the instance. Callers that wait for an answer must get one.
      this.#printErr(String(error));
      output = 'info string internal error, please report: the engine has stopped\nbestmove resign\n';
      this.#emit(output);
      this.#ended = true;
      return false;
    }
    this.#emit(output);
    return result;
  }

  #emit(output) {
    for (const line of output.split('\n')) {
      if (line === '') continue;
      for (const listener of [...this.#listeners]) {
        if (!this.#ended) listener(line);
      }
    }
  }
}

/**
 * Makes an engine on its own thread (a Worker), which needs no `poll`.
 *
 * @param {{ game?: string }} [options]
 * @returns {Promise<import('./index.d.ts').WorkerEngine>}
 */
export async function createWorker({ game = 'shogi' } = {}) {
  const place = new URL('./worker.js', import.meta.url);
  const listeners = new Set();
  const node = typeof Worker === 'undefined';
  const worker = node
    ? new (await import('node:worker_threads')).Worker(place)
    : new Worker(place, { type: 'module' });
  let ended = false;
  await new Promise((resolve, reject) => {
    const hear = (data) => {
      if (data.line !== undefined) {
        if (!ended) [...listeners].forEach(listener => listener(data.line));
      } else if (data.error !== undefined) {
        reject(new Error(data.error));
      } else {
        resolve();
      }
    };
    if (node) {
      worker.on('message', hear);
      worker.on('error', reject);
    } else {
      worker.onmessage = event => hear(event.data);
      worker.onerror = event => reject(new Error(event.message));
    }
    worker.postMessage({ game });
  });
  return {
    postMessage: line => { if (!ended) worker.postMessage({ line }); },
    addMessageListener: listener => { listeners.add(listener); },
    removeMessageListener: listener => { listeners.delete(listener); },
    terminate: () => { ended = true; worker.terminate(); },
  };
}
