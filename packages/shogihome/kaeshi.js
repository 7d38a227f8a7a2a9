// The engine as ShogiHome's worker loads it. It searches on by itself: no version of ShogiHome calls `poll` then.
import createLocalEngine from './index.js';

/** @param {{ locateFile?: (name: string) => string | URL, printErr?: (text: string) => void }} [options] */
export default async function createEngine(options = {}) {
  const engine = await createLocalEngine(options);
  const { port1: next, port2: turn } = new MessageChannel();
  let searching = false;
  // A message to itself comes behind those that wait, such as `stop`, and sooner than any timer.
  turn.onmessage = () => {
    searching = engine.poll();
    if (searching) next.postMessage(0);
  };
  // In Node, no process lives on for it.
  turn.unref?.();
  return {
    postMessage(line) {
      engine.postMessage(line);
      if (searching) return;
      searching = true;
      next.postMessage(0);
    },
    addMessageListener: listener => engine.addMessageListener(listener),
    removeMessageListener: listener => engine.removeMessageListener(listener),
    terminate() {
      engine.terminate();
      next.close();
    },
  };
}
