// Tests the packages in Node:  node packages/test.mjs FOLDER_OF_THE_NPM_PACKAGE FOLDER_FOR_SHOGIHOME SHOGI REVERSI SYGO
// (the last three are the node counts of `kaeshi bench`). Each fault ends it with an error.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [npm, shogihome, ...counts] = process.argv.slice(2);
assert.equal(counts.length, 3, 'three node counts are wanted');
const { default: createEngine, createWorker, GAMES } = await import(pathToFileURL(resolve(npm, 'index.js')).href);
const module = await WebAssembly.compile(readFileSync(join(npm, 'kaeshi.wasm')));
const MOST_BYTES = 8_000_000;
/** Milliseconds in which `stop` is answered on a busy machine. */
const STOP_BUSY_MS = 3_000;
/** Milliseconds in which `stop` is answered on a machine that does nothing else. */
const STOP_IDLE_MS = 100;
/** Milliseconds after which an answer counts as missing. */
const PATIENCE = 120_000;

/** An engine whose output is kept. */
async function open(game) {
  const engine = await createEngine({ game, module, printErr: text => { throw new Error(text); } });
  const lines = [];
  engine.addMessageListener(line => lines.push(line));
  const until = word => {
    const begun = performance.now();
    for (;;) {
      const at = lines.findIndex(line => line.startsWith(word));
      if (at >= 0) return lines.splice(0, at + 1).at(-1);
      engine.poll();
      assert(performance.now() - begun < PATIENCE, `${game}: no ${word}`);
    }
  };
  engine.postMessage(game === 'shogi' ? 'usi' : 'ugi');
  until(game === 'shogi' ? 'usiok' : 'ugiok');
  return { engine, lines, until, post: line => engine.postMessage(line) };
}

for (const [index, game] of GAMES.entries()) {
  const { post, until, lines, engine } = await open(game);
  // Nodes a second of processor time: the machine may do other work.
  const before = process.cpuUsage();
  post('bench');
  const used = process.cpuUsage(before);
  const nodes = until('Bench: ').split(' ').at(-1);
  assert.equal(nodes, counts[index], `${game}: the node count is not that of the program`);
  console.log(`${game}: ${nodes} nodes, ${Math.round(nodes / (used.user + used.system) * 1e6)} nodes a second`);

  post('isready');
  until('readyok');
  const moves = [];
  for (let turn = 0; turn < 6; turn += 1) {
    post(`position startpos${moves.length ? ` moves ${moves.join(' ')}` : ''}`);
    post('go movetime 200');
    const [, move] = until('bestmove ').split(' ');
    moves.push(move);
  }
  // What is refused would be remarked.
  post(`position startpos moves ${moves.join(' ')}`);
  assert.deepEqual(lines, [], `${game}: ${moves.join(' ')}`);
  console.log(`${game}: ${moves.join(' ')}`);

  const delays = [];
  for (let stop = 0; stop < 20; stop += 1) {
    post('position startpos');
    post('go infinite');
    for (let poll = 0; poll <= stop; poll += 1) assert(engine.poll(), `${game}: the search has ended`);
    lines.length = 0;
    // At worst, `stop` comes when a slice has just begun.
    const begun = performance.now();
    engine.poll();
    post('stop');
    until('bestmove ');
    delays.push(performance.now() - begun);
  }
  delays.sort((a, b) => a - b);
  console.log(`${game}: stop answered after ${delays[10].toFixed(0)} ms (median), ${delays[19].toFixed(0)} ms (longest)`);
  // Beside other work the longest says nothing.
  assert(delays[10] < STOP_IDLE_MS, `${game}: stop takes ${delays}`);

  post('go infinite');
  engine.poll();
  lines.length = 0;
  post('quit');
  engine.poll();
  post('isready');
  assert.deepEqual(lines, [], `${game}: output after quit`);
}

{
  const { post, until } = await open('shogi');
  post('position sfen 4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1');
  post('go mate infinite');
  assert.equal(until('checkmate '), 'checkmate G*5b');
}
await assert.rejects(createEngine({ game: 'go', module }), /there are: shogi, reversi, sygo/);

// The worker: `stop` is heard while it searches.
{
  const engine = await createWorker({ game: 'reversi' });
  const answer = new Promise(resolve => {
    engine.addMessageListener(line => { if (line.startsWith('bestmove ')) resolve(line); });
  });
  engine.postMessage('ugi');
  engine.postMessage('position startpos');
  engine.postMessage('go infinite');
  await new Promise(resolve => setTimeout(resolve, 300));
  const asked = performance.now();
  engine.postMessage('stop');
  const line = await answer, ms = performance.now() - asked;
  console.log(`worker: ${line}, ${ms.toFixed(0)} ms after stop`);
  assert(ms < STOP_BUSY_MS, 'stop was not heard while the worker searches');
  engine.terminate();
}

// ShogiHome's folder: what it announces is what the engine announces, and presets can be set.
{
  const manifest = JSON.parse(readFileSync(join(shogihome, 'engine.json'), 'utf8'));
  assert.equal(manifest.abi, 'shogihome-wasm-engine/1');
  assert(statSync(join(shogihome, manifest.module.replace(/\.js$/, '.wasm'))).isFile());
  const { default: create } = await import(pathToFileURL(resolve(shogihome, manifest.module)).href);
  const engine = await create({ locateFile: name => pathToFileURL(resolve(shogihome, name)), printErr: console.error });
  const lines = [];
  engine.addMessageListener(line => lines.push(line));
  engine.postMessage('usi');
  const announced = lines.filter(line => line.startsWith('option ')).map(line => line.split(' ')[2]);
  assert.deepEqual(manifest.options.map(option => option.name), announced);
  assert(manifest.options.find(option => option.name === 'USI_Hash').max <= 256);
  assert.equal(manifest.options.find(option => option.name === 'Threads').max, 1);
  lines.length = 0;
  for (const { values } of manifest.presets) {
    for (const [name, value] of Object.entries(values)) engine.postMessage(`setoption name ${name} value ${value}`);
  }
  assert.deepEqual(lines, [], 'a preset is refused');
  assert(manifest.licenses.every(({ file }) => statSync(join(shogihome, file)).size > 1_000));
  // It searches by itself, and hears `stop` in between.
  assert.equal(engine.poll, undefined);
  engine.postMessage('isready');
  engine.postMessage('position startpos');
  engine.postMessage('go infinite');
  const begun = performance.now();
  await new Promise(resolve => setTimeout(resolve, 300));
  const asked = performance.now();
  assert(asked - begun < 300 + STOP_BUSY_MS, 'a timer waited for the search');
  const found = new Promise(resolve => engine.addMessageListener(line => line.startsWith('bestmove ') && resolve(line)));
  engine.postMessage('stop');
  console.log(`ShogiHome's module: ${await found}, ${(performance.now() - asked).toFixed(0)} ms after stop`);
  assert(lines.some(line => / depth [2-9]/.test(line)), 'nothing was searched');
  const ids = manifest.presets.map(preset => preset.id);
  assert.equal(new Set(ids).size, ids.length);
}
for (const folder of [npm, shogihome]) {
  const bytes = readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  console.log(`${folder}: ${bytes} bytes`);
  assert(bytes < MOST_BYTES, `${folder} has ${bytes} bytes`);
}
console.log('packages: all tests passed');
process.exit(0);
