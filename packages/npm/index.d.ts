/** Games that the engine plays. */
export const GAMES: readonly ['shogi', 'reversi', 'sygo'];

/** A line of output, without its end. */
export type MessageListener = (line: string) => void;

/** What every engine has. */
export interface WorkerEngine {
  /** Sends a line of USI (shogi) or UGI (Reversi, Sygo; shogi too). */
  postMessage(line: string): void;
  /** Calls `listener` with each line of output; never after `quit` or `terminate()`. */
  addMessageListener(listener: MessageListener): void;
  removeMessageListener(listener: MessageListener): void;
  /** Ends the engine. */
  terminate(): void;
}

/** An engine on the calling thread. */
export interface Engine extends WorkerEngine {
  /** Searches for some tens of milliseconds; whether the search goes on. */
  poll(): boolean;
}

export interface EngineOptions {
  /** `shogi` unless another one is named. */
  game?: 'shogi' | 'reversi' | 'sygo';
  /** Where `kaeshi.wasm` lies; beside this module unless this says otherwise. */
  locateFile?: (name: string) => string | URL;
  /** The module, where it is compiled already: then nothing is loaded. */
  module?: WebAssembly.Module;
  /** Gets the reason of an internal error. */
  printErr?: (text: string) => void;
}

/** Makes an engine on this thread: call `poll()` from `go` until `bestmove` or `checkmate`. */
export default function createEngine(options?: EngineOptions): Promise<Engine>;

/** Makes an engine on a thread of its own. */
export function createWorker(options?: { game?: 'shogi' | 'reversi' | 'sygo' }): Promise<WorkerEngine>;
