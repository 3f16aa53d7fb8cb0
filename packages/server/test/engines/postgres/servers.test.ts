import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, beforeEach, describe, type TestContext, test } from 'node:test';
import { startPostgres, type TestPostgres } from 'basedrive-acceptance/services/postgres.js';
import { type RunningServer, run, startServer, temporaryFolder } from '../../support/run-cli.js';

const key = 'demo_s3cret';

let postgres: TestPostgres;
let databases = 0;
let name: string;
/** The address of the rows, with a password that must not be printed anywhere. */
let items: string;

before(async () => {
  postgres = await startPostgres();
});
after(() => postgres.stop());
beforeEach(async () => {
  name = `servers${++databases}`;
  items = (await postgres.createDatabase(name)).replace('postgres@', 'postgres:s3cretpassword@');
});

async function migrated(): Promise<void> {
  const { code, err } = await run(['migrate', '--items', items]);
  assert.equal(code, 0, err);
}

/** Starts servers over one database and one folder of blobs. */
async function start(context: TestContext, count: number, ...options: string[]): Promise<RunningServer[]> {
  const folder = await temporaryFolder(context);
  const places = ['--items', items, '--blobs', join(folder, 'blobs'), '--data', join(folder, 'data')];
  const servers = Array.from({ length: count }, () => startServer(context, [...places, ...options]));
  return await Promise.all(servers);
}

function send(server: RunningServer, method: string, path: string, body?: string): Promise<Response> {
  const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' };
  return fetch(`${server.url}/v1/demo/${path}`, { method, headers, body: body ?? null });
}

async function statusOf(server: RunningServer, path: string, apiKey = key): Promise<number> {
  const answer = await fetch(`${server.url}${path}`, { headers: { 'X-API-Key': apiKey } });
  await answer.arrayBuffer();
  return answer.status;
}

/** Repeats `ask` until it gives this value. */
async function until<T>(wanted: T, ask: () => Promise<T>): Promise<void> {
  while ((await ask()) !== wanted) await new Promise((resolve) => setTimeout(resolve, 20));
}

const countOf = async (key: string) =>
  (await postgres.ask(`SELECT count(*) FROM basedrive_rows WHERE key = '${key}'`, name))[0];

describe('migrate', () => {
  test('makes the tables once though several run at the same time, and no server starts without them', async () => {
    const early = await run(['--port', '0', '--items', items, '--blobs', '/nowhere']);
    assert.equal(early.code, 2);
    assert.match(early.err, /^basedrive: [^\n]*basedrive migrate[^\n]*\n$/);
    const ended = await Promise.all(Array.from({ length: 5 }, () => run(['migrate', '--items', items])));
    assert.deepEqual(
      ended.map(({ code, err }) => ({ code, err })),
      Array.from({ length: 5 }, () => ({ code: 0, err: '' })),
    );
    const lines = ended.map(({ out }) => out);
    assert.equal(lines.filter((out) => out.includes('made the tables')).length, 1, lines.join());
    assert.equal(lines.filter((out) => out.includes('nothing to do')).length, 4, lines.join());
    assert.ok(!lines.join().includes('s3cretpassword'));
  });
});

describe('several servers over one database', () => {
  beforeEach(migrated);

  test('are not ready while the database is read-only, answer reads, and are ready again without a restart', async (context) => {
    const [server] = await start(context, 1, '--key', key);
    assert.ok(server !== undefined);
    const item = '{"items":[{"key":"a"}]}';
    assert.equal((await send(server, 'PUT', 'base/items', item)).status, 207);
    const setReadOnly = async (value: string) => {
      await postgres.ask(`ALTER SYSTEM SET default_transaction_read_only = ${value}`);
      await postgres.ask('SELECT pg_reload_conf()');
    };
    await setReadOnly('on');
    try {
      await until(503, () => statusOf(server, '/ready'));
      const { errors } = (await (await fetch(`${server.url}/ready`)).json()) as { readonly errors: string[] };
      assert.deepEqual(errors, ['The rows cannot be written: the database is read-only']);
      assert.equal((await send(server, 'PUT', 'base/items', item)).status, 503);
      assert.equal(await statusOf(server, '/v1/demo/base/items/a'), 200);
      assert.equal(await statusOf(server, '/health'), 200);
    } finally {
      await setReadOnly('off');
    }
    await until(200, () => statusOf(server, '/ready'));
    assert.equal((await send(server, 'PUT', 'base/items', item)).status, 207);
  });

  test('make one first key when they start at the same time, and no folder that they do not need', async (context) => {
    const servers = await start(context, 4);
    const shown = /^ {2}(\w+_\w{32})$/m;
    const shows = () => servers.flatMap((server) => shown.exec(server.err())?.[1] ?? []);
    await until(true, async () => shows().length > 0);
    const [first = ''] = shows();
    const project = first.slice(0, first.indexOf('_'));
    for (const server of servers) {
      await until(404, () => statusOf(server, `/v1/${project}/base/items/none`, first));
      assert.ok(!server.err().includes('s3cretpassword'));
    }
    for (const server of servers) assert.equal(await server.stop(), 0);
    assert.equal(shows().length, 1);
    const listed = await run(['keys', 'list', '--json', '--items', items]);
    assert.equal(JSON.parse(listed.out).length, 1);
    const [, blobs = ''] = /\(rows\) and (\S+) \(bytes\)$/m.exec(servers[0]!.err()) ?? [];
    assert.ok(existsSync(blobs));
    assert.ok(!existsSync(join(blobs, '../data')));
  });

  test('accept a key that a command makes, and refuse one that it revokes', async (context) => {
    const servers = await start(context, 2, '--key', key);
    const { out } = await run(['keys', 'create', 'shop', '--json', '--items', items]);
    const made = JSON.parse(out) as { id: string; key: string };
    const path = '/v1/shop/base/items/none';
    for (const server of servers) await until(404, () => statusOf(server, path, made.key));
    assert.equal((await run(['keys', 'revoke', made.id, '--items', items])).code, 0);
    for (const server of servers) await until(401, () => statusOf(server, path, made.key));
  });

  test('continue maintenance on another server when the one that does it is killed', async (context) => {
    const servers = await start(context, 2, '--key', key);
    const expiring = async (item: string) => {
      const body = { items: [{ key: item, __expires: Math.floor(Date.now() / 1000) + 1 }] };
      assert.equal((await send(servers.at(-1)!, 'PUT', 'base/items', JSON.stringify(body))).status, 207);
    };
    await expiring('one');
    await until('0', () => countOf('one'));
    const leads = (server: RunningServer) =>
      server.out().includes('this server does maintenance from now on');
    await until(1, async () => servers.filter(leads).length);
    const leader = servers.findIndex(leads);
    const [killed] = servers.splice(leader, 1);
    await killed!.stop('SIGKILL');
    await expiring('two');
    await until('0', () => countOf('two'));
    await until(true, async () => leads(servers[0]!));
  });

  test('are not ready and answer 503 while the database is down, and recover by themselves', async (context) => {
    const servers = await start(context, 2, '--key', key);
    assert.equal((await send(servers[0]!, 'PUT', 'base/items', '{"items":[{"key":"a"}]}')).status, 207);
    await postgres.kill();
    for (const server of servers) {
      await until(503, () => statusOf(server, '/ready'));
      assert.equal(await statusOf(server, '/health'), 200);
      const answer = await send(server, 'GET', 'base/items/a');
      assert.equal(answer.status, 503);
      assert.ok(answer.headers.get('retry-after'));
    }
    await postgres.restart();
    for (const server of servers) {
      await until(200, () => statusOf(server, '/ready'));
      await until(200, () => statusOf(server, '/v1/demo/base/items/a'));
    }
  });

  test('stop with exit code 0 though the database is down', async (context) => {
    const [server] = await start(context, 1, '--key', key, '--shutdown-grace', '100ms');
    await postgres.kill();
    try {
      assert.equal(await server!.stop(), 0);
    } finally {
      await postgres.restart();
    }
  });

  test('run beside `check`, and refuse the blobs of another store', async (context) => {
    const [server] = await start(context, 1, '--key', key);
    const body = 'x'.repeat(300_000);
    assert.equal((await send(server!, 'POST', 'drive/files?name=a', body)).status, 201);
    const [, blobs = ''] = /\(rows\) and (\S+) \(bytes\)$/m.exec(server!.err()) ?? [];
    const { code, out, err } = await run(['check', '--json', '--items', items, '--blobs', blobs]);
    assert.equal(code, 0, err);
    assert.equal(JSON.parse(out).bytes, body.length);

    items = await postgres.createDatabase(`${name}other`);
    await migrated();
    const wrong = await run(['--port', '0', '--items', items, '--blobs', blobs]);
    assert.equal(wrong.code, 2);
    assert.match(wrong.err, /belong to other rows/);
    const checked = await run(['check', '--repair', '--items', items, '--blobs', blobs]);
    assert.equal(checked.code, 2);
    assert.match(checked.err, /belong to other rows/);
  });
});
