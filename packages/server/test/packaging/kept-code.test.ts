import assert from 'node:assert/strict';
import { cp, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../support/run-cli.js';
import { loadedByStart } from './loaded-by-start.js';
import { root } from './packed-server.js';

const server = join(root, 'packages/server');
const environment = { PATH: process.env.PATH };
const all = (took: boolean) => ({ 'program-code.js': took, 'shared-code.js': took, 'server-code.js': took });

test('a start runs the code that was compiled when the server was built', async (context) => {
  const folder = await temporaryFolder(context);
  const { took } = await loadedByStart(
    [process.execPath, join(server, 'dist/src/main.js')],
    folder,
    environment,
  );
  assert.deepEqual(took, all(true));
});

test('a V8 with other flags compiles anew', async (context) => {
  const folder = await temporaryFolder(context);
  const words = [process.execPath, '--no-opt', join(server, 'dist/src/main.js')];
  const { took } = await loadedByStart(words, folder, environment);
  assert.deepEqual(took, all(false));
});

test('the code that was kept runs in another folder than that where it was made', async (context) => {
  const folder = await temporaryFolder(context);
  const copy = join(folder, 'packages/server');
  await mkdir(copy, { recursive: true });
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  await cp(join(server, 'package.json'), join(copy, 'package.json'));
  await cp(join(server, 'dist/src/bundled'), join(copy, 'dist/src/bundled'), { recursive: true });
  await cp(join(server, 'dist/src/main.js'), join(copy, 'dist/src/main.js'));
  const { took, files } = await loadedByStart(
    [process.execPath, join(copy, 'dist/src/main.js')],
    folder,
    environment,
  );
  assert.deepEqual(took, all(true));
  assert.deepEqual(
    files.filter((path) => path.startsWith(server)),
    [],
  );
});
