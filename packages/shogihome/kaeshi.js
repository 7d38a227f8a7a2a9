// The engine as ShogiHome's worker loads it. It searches on by itself: no version of ShogiHome calls `poll` then.
import createLocalEngine from './index.js';

/** @param {{ locateFile?: (name: string) => string | URL, printErr?: (text: string) => void }} [options] */
export default async function createEngine(options = {}) {
  const engine = await createLocalEngine(options);
  let searching = false;
  const turn = () => {
    searching = engine.poll();
    if (searching) again();
  };
  const { port1, port2 } = new MessageChannel();
  port2.onmessage = turn;
  // In a browser a message to itself comes behind those that wait, such as `stop`, and sooner than any timer. Node serves
  // up to a thousand messages of one port before anything else, and no process lives on for an open one.
  port2.unref?.();
  const again = globalThis.setImmediate ? () => setImmediate(turn) : () => port1.postMessage(0);
  return {
    postMessage(line) {
      engine.postMessage(line);
      if (searching) return;
      searching = true;
      again();
    },
    addMessageListener: listener => engine.addMessageListener(listener),
    removeMessageListener: listener => engine.removeMessageListener(listener),
    terminate() {
      engine.terminate();
      port1.close();
    },
  };
}
