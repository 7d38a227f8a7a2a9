// The engine as ShogiHome's worker loads it. It searches on by itself: no version of ShogiHome calls `poll` then.
import createLocalEngine from './index.js';

// Each `next()` runs `call` once, after the tasks already queued.
function taskScheduler(call) {
  // Node serves up to a thousand messages of one port before anything else.
  if (globalThis.setImmediate) return { next: () => setImmediate(call), end() {} };
  // In a browser a message to itself comes behind those that wait, such as `stop`, and sooner than any timer.
  const { port1, port2 } = new MessageChannel();
  port2.onmessage = call;
  return { next: () => port1.postMessage(0), end: () => port1.close() };
}

/** @param {{ locateFile?: (name: string) => string | URL, printErr?: (text: string) => void }} [options] */
export default async function createEngine(options = {}) {
  const engine = await createLocalEngine(options);
  let searching = false;
  const scheduler = taskScheduler(() => {
    searching = engine.poll();
    if (searching) scheduler.next();
  });
  return {
    postMessage(line) {
      engine.postMessage(line);
      if (searching) return;
      searching = true;
      scheduler.next();
    },
    addMessageListener: listener => engine.addMessageListener(listener),
    removeMessageListener: listener => engine.removeMessageListener(listener),
    terminate() {
      engine.terminate();
      scheduler.end();
    },
  };
}
