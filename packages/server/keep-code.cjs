// `node keep-code.cjs FOLDER`: starts the server of a bundle, lets it answer, and keeps the code that V8 has compiled for
// that beside each file.
const { rmSync, writeFileSync } = require('node:fs');
const { join, resolve } = require('node:path');
const { setFlagsFromString } = require('node:v8');

const folder = resolve(process.argv[2]);
const data = join(folder, 'data');
const key = 'demo_s3cret';
/** A server gives its files to its owner alone. */
const mask = process.umask();
process.argv.splice(
  2,
  1,
  '--port',
  '0',
  '--data',
  data,
  '--key',
  key,
  '--log-level',
  'warn',
  '--console',
  'off',
);
// Settings of whoever builds are not for this server.
for (const name of Object.keys(process.env)) if (name.startsWith('BASEDRIVE_')) delete process.env[name];

let printed = '';
process.stderr.write = (text) => {
  printed += text;
  const url = /listens on (\S+)/.exec(text)?.[1];
  if (url !== undefined) void use(url).then(keepCode, fail);
  return true;
};
process.once('exit', (code) => {
  rmSync(data, { recursive: true, force: true });
  if (code !== 0) console.log(`The server of the bundle did not start:\n${printed}`);
});
require(join(folder, 'run-process.js'));

async function use(url) {
  const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' };
  const items = `${url}/v1/demo/users/items`;
  await fetch(items, { method: 'PUT', headers, body: '{"items":[{"key":"ada"}]}' });
  const answer = await fetch(`${items}/ada`, { headers });
  if (answer.status !== 200) throw new Error(`GET answered ${answer.status}`);
}

function keepCode() {
  process.umask(mask);
  // V8 takes code only with the flags that it was made with, and a start sets this one later (lib/heap-growth.ts).
  setFlagsFromString('--heap-growing-percent=0');
  const { scripts, keptAt } = require(join(folder, 'kept-code.cjs'));
  for (const [path, script] of scripts) writeFileSync(keptAt(path), script.createCachedData());
  process.exit(0);
}

function fail(cause) {
  printed += cause.stack;
  process.exit(1);
}
