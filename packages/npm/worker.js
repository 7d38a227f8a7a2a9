// The engine on its own thread: it polls itself while a search runs, and hears new lines between two polls.
import createEngine from './index.js';

const port = typeof self === 'undefined' ? (await import('node:worker_threads')).parentPort : self;
/** @type {import('./index.d.ts').Engine | undefined} */
let engine;
let polling = false;

function turn() {
  polling = engine.poll();
  if (polling) again();
}

// In a browser a message to itself comes behind those that wait, and sooner than any timer. Node serves up to a thousand
// messages of one port before anything else.
const again = globalThis.setImmediate ? () => setImmediate(turn) : messageTo(turn);

/** @param {() => void} receiver */
function messageTo(receiver) {
  const { port1, port2 } = new MessageChannel();
  port2.onmessage = receiver;
  return () => port1.postMessage(0);
}

async function hear({ game, line }) {
  try {
    if (game !== undefined) {
      engine = await createEngine({ game, printErr: text => console.error(text) });
      engine.addMessageListener(line => port.postMessage({ line }));
      port.postMessage({});
      return;
    }
    engine.postMessage(line);
    if (!polling) {
      polling = true;
      again();
    }
  } catch (error) {
    port.postMessage({ error: String(error) });
  }
}

if (typeof self === 'undefined') {
  port.on('message', hear);
} else {
  port.onmessage = event => hear(event.data);
}
