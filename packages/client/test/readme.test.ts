import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { transform } from 'esbuild';
import { Basedrive } from '../src/in-node.js';
import { key, ownService } from './support/service.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

describe('the examples of the README', () => {
  const service = ownService();
  let folder: string;
  let code: string;

  before(async () => {
    // Inside the package, so that its own name resolves to it.
    await mkdir(join(root, 'dist', 'readme'), { recursive: true });
    folder = await mkdtemp(join(root, 'dist', 'readme', 'run-'));
    const text = await readFile(join(root, 'README.md'), 'utf8');
    code = Array.from(text.matchAll(/```ts\n([\s\S]*?)```/g), ([, block]) => block).join('\n');
    await writeFile(join(folder, 'examples.ts'), code);
  });
  after(() => rm(folder, { recursive: true }));

  test('the examples compile under the strictest rules', async () => {
    const tsc = fileURLToPath(new URL('../../../../node_modules/typescript/bin/tsc', import.meta.url));
    const options =
      '--ignoreConfig --noEmit --strict --exactOptionalPropertyTypes --noUncheckedIndexedAccess --target es2023 --module nodenext --types';
    await run(process.execPath, [tsc, ...options.split(' '), 'node', join(folder, 'examples.ts')], {
      cwd: root,
    });
  });

  test('the examples run and print what their comments say', async () => {
    const script = await transform(code, { loader: 'ts', format: 'esm', target: 'node20' });
    const file = join(folder, 'examples.mjs');
    await writeFile(file, script.code);
    // Examples read `package.json` of the working directory, and write files there.
    const cwd = join(folder, 'work');
    await mkdir(cwd);
    await copyFile(join(root, 'package.json'), join(cwd, 'package.json'));
    const { stdout } = await run(process.execPath, [file], {
      cwd,
      env: { PATH: process.env.PATH, BASEDRIVE_KEY: key, BASEDRIVE_URL: service.url },
    });
    const promised = Array.from(code.matchAll(/console\.log\(.*\);? \/\/ (.*)/g), ([, line]) => line);
    assert.ok(promised.length > 10);
    const printed = stdout.split('\n');
    for (const line of promised)
      assert.ok(printed.includes(line as string), `"${line}" is not in:\n${stdout}`);
  });

  test('the example of docs/moving-in.md stores the items and the files', async () => {
    const text = await readFile(join(root, '../../docs/moving-in.md'), 'utf8');
    const [, example = ''] = /```ts\n([\s\S]*?)```/.exec(text) ?? [];
    const script = await transform(example, { loader: 'ts', format: 'esm', target: 'node20' });
    await writeFile(join(folder, 'moving.mjs'), script.code);
    await mkdir(join(folder, 'photos', 'of', 'cats'), { recursive: true });
    await writeFile(join(folder, 'photos', 'of', 'cats', 'a.png'), 'not really a cat');
    const items = Array.from({ length: 60 }, (_, n) => ({ key: `u${n}` }));
    await writeFile(join(folder, 'users.json'), JSON.stringify([...items, { key: '' }]));
    const env = { PATH: process.env.PATH, BASEDRIVE_KEY: key, BASEDRIVE_URL: service.url };
    const { stdout, stderr } = await run(process.execPath, ['moving.mjs'], { cwd: folder, env });
    assert.equal(stdout, '60 items\n');
    assert.match(stderr, /key/);
    const file = await Basedrive(key, { url: service.url }).Drive('photos').get('of/cats/a.png');
    assert.equal(file?.type, 'image/png');
    assert.equal(await file?.text(), 'not really a cat');
  });

  test('the first example has at most ten lines', async () => {
    const [first = ''] = code.split('interface User');
    assert.ok(first.split('\n').filter((line) => line.trim() !== '').length <= 10);
  });
});
