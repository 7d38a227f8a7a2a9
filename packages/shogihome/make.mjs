// Makes the folder `kaeshi` for ShogiHome (`shogihome-wasm-engine/1`, specs/wasm-engine-abi.md of its repository):
//   node packages/shogihome/make.mjs FOLDER_WITH_INDEX_JS_AND_KAESHI_WASM [OUTPUT]
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const [from, to = join(here, 'kaeshi')] = process.argv.slice(2);
const { default: createEngine } = await import(pathToFileURL(resolve(from, 'index.js')).href);
const lines = [];
const engine = await createEngine();
engine.addMessageListener(line => lines.push(line));
engine.postMessage('usi');

const id = name => lines.find(line => line.startsWith(`id ${name} `)).slice(`id ${name} `.length);
const manifest = {
  abi: 'shogihome-wasm-engine/1',
  // ShogiHome looks for the WebAssembly under the name of the module.
  module: 'kaeshi.js',
  moduleFormat: 'esm',
  name: id('name'),
  author: id('author'),
  licenses: [{ spdx: 'MIT OR Apache-2.0', file: 'LICENSE.txt' }],
  options: lines.filter(line => line.startsWith('option ')).map(option),
  // Once published, an id never changes: players' settings hold it.
  presets: [
    { id: 'kaeshi-full-v1', displayName: 'Kaeshi', values: {}, tags: ['game', 'research', 'mate'], mobileGame: { label: 'Kaeshi' } },
    ...[0, 3, 5, 8, 10, 12, 15, 17].map(level => ({
      id: `kaeshi-level-${level}-v1`,
      displayName: `Kaeshi (level ${level})`,
      values: { SkillLevel: level },
      tags: ['game'],
      mobileGame: { label: `Kaeshi ${level}` },
    })),
  ],
};
mkdirSync(to, { recursive: true });
writeFileSync(join(to, 'engine.json'), `${JSON.stringify(manifest, null, 2)}\n`);
copyFileSync(join(here, 'kaeshi.js'), join(to, manifest.module));
for (const file of ['index.js', 'kaeshi.wasm']) copyFileSync(join(from, file), join(to, file));
const licences = ['LICENSE-MIT', 'LICENSE-APACHE'].map(file => readFileSync(join(from, file), 'utf8'));
writeFileSync(join(to, 'LICENSE.txt'), licences.join(`\n${'-'.repeat(72)}\n\n`));

/** `option name NAME type TYPE ...` as the manifest has it. */
function option(line) {
  const [, name, type, rest = ''] = /^option name (\S+) type (\S+)\s*(.*)$/.exec(line);
  const value = word => new RegExp(`(?:^|\\s)${word} (\\S+)`).exec(rest)?.[1];
  const usual = value('default');
  switch (type) {
    case 'spin': return { name, type, default: Number(usual), min: Number(value('min')), max: Number(value('max')) };
    case 'combo': return { name, type, default: usual, vars: [...rest.matchAll(/(?:^|\s)var (\S+)/g)].map(found => found[1]) };
    case 'check': return { name, type, default: usual };
    case 'button': return { name, type };
    default: return { name, type, default: usual === '<empty>' ? '' : usual };
  }
}
