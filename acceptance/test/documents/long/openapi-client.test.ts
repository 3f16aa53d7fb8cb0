import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { launchTarget, type Target } from '../../../src/target.js';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../../../../', import.meta.url));

/** The program of a package of this workspace. */
function program(name: string, path: string): string {
  const resolve = createRequire(import.meta.url).resolve;
  return join(dirname(resolve(`${name}/package.json`)), path);
}

// The generator reads types by the compiler's API, which only older compilers have; what it makes is compiled with ours.
const generator = program('openapi-typescript', 'bin/cli.js');
const compiler = join(root, 'node_modules/typescript/bin/tsc');

const application = `
import createClient from 'openapi-fetch';
import type { components, paths } from './basedrive.js';

const [url = '', key = '', project = ''] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl: url, headers: { 'X-API-Key': key } });
const path = { project, name: 'generated' };

const put = await client.PUT('/v1/{project}/{name}/items', {
  params: { path },
  body: { items: [{ key: 'ada', age: 36 }] },
});
const got = await client.GET('/v1/{project}/{name}/items/{key}', { params: { path: { ...path, key: 'ada' } } });
const item: components['schemas']['StoredItem'] | undefined = got.data;
const missing = await client.GET('/v1/{project}/{name}/items/{key}', { params: { path: { ...path, key: 'x' } } });
const page = await client.POST('/v1/{project}/{name}/query', {
  params: { path },
  body: { query: { 'age?gte': 36 }, order: ['-age'] },
});
const wrong = await client.POST('/v1/{project}/{name}/query', { params: { path }, body: { limit: 0 } });
const files = await client.GET('/v1/{project}/{name}/files', { params: { path, query: { limit: 5 } } });
console.log(
  JSON.stringify([
    put.response.status,
    item?.key,
    missing.response.status,
    page.data?.items.length,
    wrong.error,
    files.data?.names,
  ]),
);
`;

describe('a client that a generator makes from /openapi.json', () => {
  let target: Target;
  let folder: string;

  before(async () => {
    target = await launchTarget();
    folder = await mkdtemp(join(tmpdir(), 'basedrive-openapi-client-'));
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    await writeFile(join(folder, 'application.ts'), application);
    await run(process.execPath, [
      generator,
      new URL('/openapi.json', target.url).href,
      '-o',
      join(folder, 'basedrive.d.ts'),
    ]);
  });
  after(async () => {
    await target.close();
    await rm(folder, { recursive: true });
  });

  const options = [
    '--strict',
    '--noEmit',
    'false',
    '--module',
    'nodenext',
    '--target',
    'es2023',
    '--types',
    'node',
  ];

  test('compiles, and works', async () => {
    await run(process.execPath, [compiler, ...options, 'application.ts'], { cwd: folder });
    const words = ['application.js', target.url.origin, target.key, target.project];
    const { stdout } = await run(process.execPath, words, { cwd: folder });
    const wrong = {
      errors: ['limit: must be a whole number, 1 or more'],
      codes: [{ code: 'out_of_range', path: 'limit' }],
    };
    assert.deepEqual(JSON.parse(stdout), [207, 'ada', 404, 1, wrong, []]);
  });

  test('does not compile with a path or a member that does not exist', async () => {
    for (const [there, instead] of [
      ["'/v1/{project}/{name}/query'", "'/v1/{project}/{name}/queries'"],
      ['body: { limit: 0 }', "body: { limit: 'none' }"],
      ['files.data?.names', 'files.data?.name'],
    ] as const) {
      assert.ok(application.includes(there));
      await writeFile(join(folder, 'wrong.ts'), application.replace(there, instead));
      await assert.rejects(
        run(process.execPath, [compiler, ...options, 'wrong.ts'], { cwd: folder }),
        /Command failed/,
      );
    }
  });
});
