// The engine on its own thread: it polls itself while a search runs, and hears new lines between two polls.
import createEngine from './index.js';

const port = typeof self === 'undefined' ? (await import('node:worker_threads')).parentPort : self;
const { port1: next, port2: turn } = new MessageChannel();
/** @type {import('./index.d.ts').Engine | undefined} */
let engine;
let polling = false;

// A message to itself comes behind those that wait, and sooner than any timer.
turn.onmessage = () => {
  polling = engine.poll();
  if (polling) next.postMessage(0);
};

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
      next.postMessage(0);
    }
  } catch (error) {
    port.postMessage({ error: String(error) });
  }
}

if (typeof self === 'undefined') {
  port.on('message', hear);
  // The thread lives as long as that of its owner.
  turn.unref?.();
} else {
  port.onmessage = event => hear(event.data);
}
