// Compares nodes a second of the engine in Node with those of the program, one thread each, alternately:
//   node packages/speed.mjs FOLDER_OF_THE_NPM_PACKAGE PROGRAM [ROUNDS]
// By processor time, as the machine may do other work; medians of the rounds. Linux alone tells the time of a program.
import { spawn } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const [npm, program, rounds = 5] = process.argv.slice(2);
const { default: createEngine } = await import(pathToFileURL(resolve(npm, 'index.js')).href);
const module = await WebAssembly.compile(readFileSync(join(npm, 'kaeshi.wasm')));

/** Nodes of a search from the start; each takes seconds. */
const SEARCHES = { shogi: 1_500_000, reversi: 3_000_000, sygo: 20_000 };
const SETTINGS = ['setoption name Threads value 1', 'setoption name Hash value 64', 'setoption name OwnBook value false'];

const nodesOf = line => Number(/ nodes (\d+)/.exec(line)?.[1] ?? 0);

/** Nodes and seconds of processor time of the engine in Node. */
async function inNode(game, nodes) {
  const engine = await createEngine({ game, module });
  const lines = [];
  engine.addMessageListener(line => lines.push(line));
  for (const line of ['ugi', ...SETTINGS, 'isready', 'position startpos']) engine.postMessage(line);
  const before = process.cpuUsage();
  engine.postMessage(`go nodes ${nodes}`);
  while (!lines.at(-1).startsWith('bestmove')) engine.poll();
  const used = process.cpuUsage(before);
  return [Math.max(...lines.map(nodesOf)), (used.user + used.system) / 1e6];
}

/** Seconds of processor time of a running program. */
function processorTime(pid) {
  const folder = `/proc/${pid}/task`;
  return readdirSync(folder)
    .map(thread => Number(readFileSync(`${folder}/${thread}/schedstat`, 'utf8').split(' ')[0]))
    .reduce((sum, time) => sum + time, 0) / 1e9;
}

/** The same of the program. */
async function outside(game, nodes) {
  const child = spawn(program, ['--game', game]);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const until = async word => {
    let most = 0;
    for (;;) {
      const { value, done } = await lines.next();
      if (done) throw new Error(`${program} has ended before ${word}`);
      most = Math.max(most, nodesOf(value));
      if (value.startsWith(word)) return most;
    }
  };
  child.stdin.write(['ugi', ...SETTINGS, 'isready', ''].join('\n'));
  await until('readyok');
  const before = processorTime(child.pid);
  child.stdin.write(`position startpos\ngo nodes ${nodes}\n`);
  const visited = await until('bestmove');
  const used = processorTime(child.pid) - before;
  child.stdin.end('quit\n');
  return [visited, used];
}

const median = numbers => numbers.sort((one, other) => one - other)[Math.floor(numbers.length / 2)];
console.log('| | program | in Node | ratio |\n|---|---|---|---|');
for (const [game, nodes] of Object.entries(SEARCHES)) {
  // The first search in Node is compiled while it runs.
  await inNode(game, nodes / 10);
  const rates = [[], []];
  for (let round = 0; round < Number(rounds); round += 1) {
    for (const [index, search] of [outside, inNode].entries()) {
      const [visited, seconds] = await search(game, nodes);
      rates[index].push(visited / seconds);
    }
  }
  const [native, node] = rates.map(median);
  console.log(`| ${game} | ${Math.round(native)} | ${Math.round(node)} | ${(node / native).toFixed(2)} |`);
}
