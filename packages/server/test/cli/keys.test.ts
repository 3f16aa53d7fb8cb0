import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { run, startServer, temporaryFolder } from '../support/run-cli.js';

interface Made {
  readonly id: string;
  readonly key: string;
  readonly project: string;
  readonly created: string;
}

/** A folder in which a server ran once. */
async function emptyStore(context: TestContext): Promise<string> {
  const folder = await temporaryFolder(context);
  const server = await startServer(context, ['--data', folder, '--key', 'demo_s3cret']);
  await server.stop();
  return folder;
}

async function create(folder: string, project: string): Promise<Made> {
  const { code, out, err } = await run(['keys', 'create', project, '--data', folder, '--json']);
  assert.equal(code, 0, err);
  return JSON.parse(out);
}

async function list(folder: string): Promise<readonly Omit<Made, 'key'>[]> {
  return JSON.parse((await run(['keys', 'list', '--data', folder, '--json'])).out);
}

/** 404 for a key that is accepted (there is no such item), 401 for another. */
async function statusWith(url: string, project: string, key: string): Promise<number> {
  const answer = await fetch(`${url}/v1/${project}/base/items/none`, { headers: { 'X-API-Key': key } });
  await answer.arrayBuffer();
  return answer.status;
}

test('keys are created, listed and revoked while no server runs', async (context) => {
  const folder = await emptyStore(context);
  const made = await create(folder, 'shop');
  assert.match(made.key, /^shop_[A-Za-z0-9]{32}$/);
  const { key, ...told } = made;
  assert.deepEqual(await list(folder), [told]);

  const server = await startServer(context, ['--data', folder]);
  assert.equal(await statusWith(server.url, 'shop', key), 404);
  assert.ok(!server.err().includes('first key'));
  const managing = await fetch(`${server.url}/v1/shop/keys`, { headers: { 'X-API-Key': key } });
  assert.equal(managing.status, 200, await managing.text());
  assert.equal(await server.stop(), 0);

  assert.equal((await run(['keys', 'revoke', made.id, '--data', folder])).code, 0);
  assert.deepEqual(await list(folder), []);
});

test('a key has S3 credentials where `--s3` says so, wherever it stands', async (context) => {
  const folder = await emptyStore(context);
  const store = ['--data', folder];
  const commands = [
    ['keys', 'create', 'shop', '--s3', ...store],
    ['keys', 'create', '--s3', 'shop', ...store],
    ['keys', 'create', 'shop', ...store, '--s3'],
    [...store, 'keys', 'create', 'shop', '--access', 'read', '--s3'],
  ];
  for (const command of commands) {
    const { code, out, err } = await run(command);
    assert.equal(code, 0, `${command.join(' ')}: ${err}`);
    assert.match(out, /ACCESS KEY ID +SECRET ACCESS KEY\nBDRV[A-Z0-9]+ +\S{40}/);
  }
  assert.equal((await run(['keys', 'create', 'shop', '--s3', 'off', ...store])).code, 2);
  assert.equal((await run(['--s3'])).code, 2);
});

test('keys are created and revoked while a server runs; a revoked one stops at once', async (context) => {
  const folder = await temporaryFolder(context);
  const server = await startServer(context, ['--data', folder, '--key', 'demo_s3cret']);
  const kept = await create(folder, 'shop');
  const revoked = await create(folder, 'shop');
  assert.equal(await statusWith(server.url, 'shop', kept.key), 404);
  assert.equal(await statusWith(server.url, 'shop', revoked.key), 404);
  assert.equal(await statusWith(server.url, 'demo', kept.key), 401);
  assert.equal(await statusWith(server.url, 'demo', 'demo_s3cret'), 404);

  const { code, out } = await run(['keys', 'revoke', revoked.id, '--data', folder]);
  assert.deepEqual({ code, out }, { code: 0, out: `Revoked ${revoked.id}\n` });
  assert.equal(await statusWith(server.url, 'shop', revoked.key), 401);
  assert.equal(await statusWith(server.url, 'shop', kept.key), 404);
  assert.deepEqual(
    (await list(folder)).map(({ id }) => id),
    [kept.id],
  );
});

test('without --json, keys are printed as a table', async (context) => {
  const folder = await emptyStore(context);
  const { out, err } = await run(['keys', 'create', 'shop', '--data', folder]);
  assert.match(err, /^For the store in \S+; no server runs on it now\n$/);
  assert.match(out, /^KEY +ID +PROJECT\nshop_\w{32} {2}[a-z0-9]{12} {2}shop\n$/);
  const listed = await run(['keys', 'list', '--data', folder]);
  assert.match(
    listed.out,
    /^ID +PROJECT +NAME +ACCESS +SCOPE +CREATED +EXPIRES +LAST USED\n[a-z0-9]{12} {2}shop +- +full +all +\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ +never +-\n$/,
  );
});

test('a command that cannot be done ends with one line and exit code 2, with and without a server', async (context) => {
  const folder = await emptyStore(context);
  const refused = async () => {
    for (const options of [
      ['keys', 'create', 'a_b'],
      ['keys', 'create', 'x'.repeat(65)],
      ['keys', 'revoke', 'nothing'],
    ]) {
      const { code, err } = await run([...options, '--data', folder]);
      assert.equal(code, 2);
      assert.match(err, /^basedrive: [^\n]+\n$/);
    }
  };
  await refused();
  await startServer(context, ['--data', folder, '--key', 'demo_s3cret']);
  await refused();
});

test('commands on keys refuse a folder without a store, and create none', async (context) => {
  const parent = await temporaryFolder(context);
  for (const words of [['create', 'shop'], ['list'], ['revoke', 'id']]) {
    for (const folder of [parent, join(parent, 'typo')]) {
      const { code, err } = await run(['keys', ...words, '--data', folder]);
      assert.equal(code, 2);
      assert.match(
        err,
        /^basedrive: There is no Basedrive store in \S+: correct the folder, or start a server on it first\n$/,
      );
    }
  }
  assert.deepEqual(await readdir(parent), []);
});

test('the socket, and a data folder that the server creates, are for the owner only', async (context) => {
  const folder = join(await temporaryFolder(context), 'data');
  const server = await startServer(context, ['--data', folder]);
  assert.equal((await stat(folder)).mode & 0o777, 0o700);
  assert.equal((await stat(join(folder, 'control.sock'))).mode & 0o777, 0o600);
  await server.stop();
  assert.ok(!(await readdir(folder)).includes('control.sock'));
});

test('a socket that a killed server left behind is replaced', async (context) => {
  const folder = await temporaryFolder(context);
  const killed = await startServer(context, ['--data', folder]);
  await killed.stop('SIGKILL');
  assert.ok((await readdir(folder)).includes('control.sock'));
  const { id } = await create(folder, 'shop');
  const server = await startServer(context, ['--data', folder]);
  const other = await create(folder, 'shop');
  assert.equal(await statusWith(server.url, 'shop', other.key), 404);
  assert.equal((await run(['keys', 'revoke', id, '--data', folder])).code, 0);
});

test('commands work in a data folder whose path is too long for a socket', async (context) => {
  const folder = join(await temporaryFolder(context), 'x'.repeat(100), 'y'.repeat(100));
  await mkdir(folder, { recursive: true });
  const server = await startServer(context, ['--data', folder]);
  assert.ok((await stat(join(folder, 'control.sock'))).isSocket());
  const { key } = await create(folder, 'shop');
  assert.equal(await statusWith(server.url, 'shop', key), 404);
  assert.equal(await server.stop(), 0);
});

test('keys that several commands create at the same moment are all stored', async (context) => {
  const folder = await emptyStore(context);
  const made = await Promise.all(['a', 'b', 'c'].map((project) => create(folder, project)));
  assert.deepEqual(
    (await list(folder)).map(({ id }) => id),
    made.map(({ id }) => id),
  );
});

test('no file of the data folder holds a key in clear text', async (context) => {
  const folder = await temporaryFolder(context);
  const server = await startServer(context, ['--data', folder, '--key', 'demo_0perat0rs']);
  const { key } = await create(folder, 'shop');
  await statusWith(server.url, 'shop', key);
  await server.stop();
  assert.ok(!server.out().includes(key));
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const bytes = await readFile(join(entry.parentPath, entry.name), 'latin1');
    for (const secret of [key.split('_')[1]!, '0perat0rs']) assert.ok(!bytes.includes(secret), entry.name);
  }
});

test('a key is created with limits, also through a running server, and the list shows them', async (context) => {
  const folder = await emptyStore(context);
  const limits = [
    ...[
      '--name',
      'for the shop',
      '--access',
      'read',
      '--base',
      'shop-*',
      '--drive',
      'photos',
      '--drive',
      'films',
    ],
    ...['--prefix', '2026/', '--expires', '30d', '--origin', 'https://shop.example', '--rate', '2.5'],
  ];
  const shown = {
    project: 'shop',
    name: 'for the shop',
    access: 'read',
    bases: ['shop-*'],
    drives: ['photos', 'films'],
    prefix: '2026/',
    origins: ['https://shop.example'],
    requests_per_second: 2.5,
  };
  const make = async () => {
    const { code, out, err } = await run(['keys', 'create', 'shop', ...limits, '--data', folder, '--json']);
    assert.equal(code, 0, err);
    return JSON.parse(out) as Made & { readonly expires: string };
  };
  const alone = await make();
  const server = await startServer(context, ['--data', folder]);
  const through = await make();
  for (const { id, key, created, expires, ...others } of [alone, through]) {
    assert.deepEqual(others, shown);
    assert.equal(Date.parse(expires) - Date.parse(created), 30 * 24 * 3600 * 1000);
    assert.equal(await statusWith(server.url, 'shop', key), 403);
    assert.ok((await list(folder)).some((one) => one.id === id));
  }
  const { out } = await run(['keys', 'list', '--data', folder]);
  const scope = 'bases shop-\\*, drives photos films, prefix 2026/, origins https://shop.example, 2.5/s';
  assert.match(
    out,
    new RegExp(`${alone.id} +shop +for the shop +read +${scope} +${alone.created} +${alone.expires} `),
  );
});

test('a limit that breaks a rule is refused with its option, and no key is made', async (context) => {
  const folder = await emptyStore(context);
  const cases: readonly (readonly [message: RegExp, ...options: string[]])[] = [
    [/^basedrive: --access: must be full, write or read\n$/, '--access', 'all'],
    [/^basedrive: --base: must be a name/, '--base', ''],
    [/^basedrive: --drive: must be a name/, '--drive', 'a', '--drive', 'x'.repeat(256)],
    [/^basedrive: --prefix: must be a text/, '--prefix', ''],
    [/^basedrive: --expires: must be a whole number of seconds/, '--expires', '0s'],
    [/'--expires <time>' argument '30' is invalid/, '--expires', '30'],
    [/^basedrive: --origin: must be an origin/, '--origin', 'https://shop.example/'],
    [/^basedrive: --rate: must be a number/, '--rate', 'many'],
    [/^basedrive: --rate: must be a number/, '--rate', '-1'],
    [/^basedrive: --name: must be a text/, '--name', 'x'.repeat(101)],
  ];
  for (const [message, ...options] of cases) {
    const { code, out, err } = await run(['keys', 'create', 'shop', ...options, '--data', folder]);
    assert.deepEqual({ code, out }, { code: 2, out: '' }, options.join(' '));
    assert.match(err, message);
  }
  assert.deepEqual(await list(folder), []);
});

test('the list shows when a key was used last, also after the server has stopped', async (context) => {
  const folder = await emptyStore(context);
  const { id, key } = await create(folder, 'shop');
  const unused = await create(folder, 'shop');
  const server = await startServer(context, ['--data', folder]);
  const lastUsed = async () =>
    new Map((await list(folder)).map((one) => [one.id, (one as { last_used?: string }).last_used]));
  assert.deepEqual([...(await lastUsed()).values()], [undefined, undefined]);
  const beforeMs = Date.now();
  assert.equal(await statusWith(server.url, 'shop', key), 404);
  const shown = (await lastUsed()).get(id) ?? '';
  assert.match(shown, /:00Z$/);
  assert.ok(Math.abs(Date.parse(shown) - beforeMs) <= 60_000 + Date.now() - beforeMs);
  await server.stop();
  assert.deepEqual([(await lastUsed()).get(id), (await lastUsed()).get(unused.id)], [shown, undefined]);
});
