import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { startPostgres, type TestPostgres } from 'basedrive-acceptance/services/postgres.js';
import {
  type Answer,
  adminKeyFile,
  assertExceeded,
  type Project,
  projectOn,
  putItem,
  reachedBy,
} from '../../support/quota-project.js';
import { type RunningServer, run, startServer, temporaryFolder } from '../../support/run-cli.js';

// Quotas on rows that two servers share.

let postgres: TestPostgres;
let databases = 0;
before(async () => {
  postgres = await startPostgres();
});
after(() => postgres.stop());

interface Fleet {
  readonly items: string;
  readonly folder: string;
  start(...more: readonly string[]): Promise<RunningServer>;
  check(): Promise<void>;
  /** The words of a check. */
  checked(): readonly string[];
  /** Adds seven items to what an account says. */
  changeAccount(): Promise<unknown>;
  /** Makes accounts as earlier versions left them, in which only the markers of folders are. */
  forgetMarkers(): Promise<unknown>;
}

/** A database, and servers over it and one folder of blobs. */
async function fleet(context: TestContext): Promise<Fleet> {
  const name = `quotas${++databases}`;
  const items = await postgres.createDatabase(name);
  assert.equal((await run(['migrate', '--items', items])).code, 0);
  const folder = await temporaryFolder(context);
  const file = await adminKeyFile(context);
  const stores = ['--items', items, '--blobs', join(folder, 'blobs'), '--data', join(folder, 'data')];
  return {
    items,
    folder,
    start: (...more) =>
      startServer(context, [...stores, '--admin-key-file', file, '--log-level', 'error', ...more]),
    async check() {
      const { code, out, err } = await run(['check', ...stores]);
      assert.equal(code, 0, out + err);
    },
    checked: () => ['check', ...stores],
    changeAccount: () =>
      postgres.ask(
        `UPDATE basedrive_rows SET value = convert_to(jsonb_set(convert_from(value, 'UTF8')::jsonb, '{0}',
          ((convert_from(value, 'UTF8')::jsonb ->> 0)::int + 7)::text::jsonb)::text, 'UTF8')
          WHERE space LIKE 'accounts/%' AND key = 'slot00'`,
        name,
      ),
    forgetMarkers: () =>
      postgres.ask(
        `UPDATE basedrive_rows SET value = CASE key
          WHEN 'head' THEN convert_to((convert_from(value, 'UTF8')::jsonb - 'hasMarkers')::text, 'UTF8')
          ELSE convert_to('[0,0,0,0]', 'UTF8') END WHERE space LIKE 'accounts/%'`,
        name,
      ),
  };
}

/** The same project on another server. */
async function onServer({ name, key }: Project, { url }: RunningServer): Promise<Project> {
  return { name, url, ...(await reachedBy(url, name, key)) };
}

const inTurn = <T>(all: readonly T[], at: number) => all[at % all.length] as T;
const stored = (answers: readonly Answer[]) =>
  answers.filter(({ status }) => status === 207 || status === 201).length;

test('exactly what fits is stored, whatever two servers store at the same time', async (context) => {
  const { start, check, checked, changeAccount } = await fleet(context);
  const [one, two] = await Promise.all([start(), start()]);
  const first = await projectOn(one.url);
  const both = [first, await onServer(first, two)];
  for (let at = 0; at < 10; at++) await first.send('PUT', '/old/items', putItem(`${at}`));
  await first.quota({ items: 100, files: 20, file_bytes: 5_000_000 });
  // From the answer on, on each server.
  const puts = await Promise.all(
    Array.from({ length: 200 }, (_, at) =>
      inTurn(both, at).send('PUT', `/b${at % 7}/items`, putItem(`${at}`)),
    ),
  );
  for (const answer of puts) if (answer.status !== 207) assertExceeded(answer, 'items');
  assert.equal(stored(puts), 90);
  assert.equal((await first.usage()).items, 100);

  const uploads = await Promise.all(
    Array.from({ length: 64 }, (_, at) =>
      inTurn(both, at).send('POST', `/d${at % 3}/files?name=${at}`, 'x'.repeat(40_000)),
    ),
  );
  for (const answer of uploads) if (answer.status !== 201) assertExceeded(answer, 'files');
  assert.equal(stored(uploads), 20);
  assertExceeded(await inTurn(both, 1).announce('/d/files?name=more', 4_500_000), 'file_bytes');

  // What one server deletes is free on the other.
  assert.equal((await inTurn(both, 1).send('DELETE', '/old/items?all=true')).status, 200);
  assert.equal((await first.send('DELETE', '/d0/files?all=true')).status, 200);
  const again = await Promise.all(
    Array.from({ length: 30 }, (_, at) => inTurn(both, at).send('PUT', '/new/items', putItem(`${at}`))),
  );
  assert.equal(stored(again), 10);
  await check();
  await Promise.all([one.stop(), two.stop()]);
  await check();
  // An account that is wrong is found, repaired, and measured anew.
  await changeAccount();
  const { code, out } = await run(checked());
  assert.equal(code, 1);
  assert.match(out, /the account of its quota says 107 items, and there are 100/);
  await run([...checked(), '--repair']);
  await check();
  const three = await start();
  const after = await onServer(first, three);
  assertExceeded(await after.send('PUT', '/new/items', putItem('one more')), 'items');
  await check();
});

test('an account of an earlier version, which counted no markers, is measured anew', async (context) => {
  const { start, check, forgetMarkers } = await fleet(context);
  const one = await start();
  const project = await projectOn(one.url);
  await project.quota({ files: 2 });
  assert.equal((await project.send('POST', '/d/files?name=folder/&folder=true', '')).status, 201);
  await one.stop();
  await forgetMarkers();
  await check();
  const later = await onServer(project, await start());
  assert.equal((await later.send('POST', '/d/files?name=a', 'x')).status, 201);
  assertExceeded(await later.send('POST', '/d/files?name=b', 'x'), 'files');
  await check();
});

test('bytes are exact, far from the quota and at it', async (context) => {
  const { start } = await fleet(context);
  const [one, two] = await Promise.all([start(), start()]);
  const first = await projectOn(one.url);
  const both = [first, await onServer(first, two)];
  const bytes = 5000;
  await first.quota({ file_bytes: 400 * bytes + 1 });
  const upload = (at: number) =>
    inTurn(both, at).send('POST', `/d${at % 5}/files?name=${at}`, 'x'.repeat(bytes));
  let done = 0;
  for (let round = 0; round < 8; round++) {
    const answers = await Promise.all(Array.from({ length: 64 }, (_, at) => upload(round * 64 + at)));
    for (const answer of answers) if (answer.status !== 201) assertExceeded(answer, 'file_bytes');
    done += stored(answers);
    assert.equal((await first.usage()).file_bytes, done * bytes);
  }
  // Uploads at the same time may each hold room that another one would have used.
  for (let at = 600; done < 400; at++, done++) assert.equal((await upload(at)).status, 201, `the ${done}th`);
  assertExceeded(await upload(1000), 'file_bytes');
  assertExceeded(await upload(1001), 'file_bytes');
  assert.equal((await inTurn(both, 1).usage()).file_bytes, 400 * bytes);
});

test('a quota is exact after the servers and the database were killed', async (context) => {
  const { start, check } = await fleet(context);
  let servers = await Promise.all([start(), start()]);
  const first = await projectOn(inTurn(servers, 0).url);
  await first.quota({ items: 400, files: 200 });
  for (let kill = 0; kill < 3; kill++) {
    const both = await Promise.all(servers.map((server) => onServer(first, server)));
    const writing = Array.from({ length: 120 }, async (_, at) => {
      const { send } = inTurn(both, at);
      await send('PUT', `/b${at % 5}/items`, putItem(`${kill}-${at % 90}`, { at }));
      await send('POST', `/d${at % 3}/files?name=${kill}-${at % 40}`, 'x'.repeat(at));
    });
    await writing[20 + kill * 20];
    if (kill === 1) await postgres.kill();
    else await Promise.all(servers.map((server) => server.stop('SIGKILL')));
    await Promise.all(writing);
    if (kill === 1) await postgres.restart();
    else servers = await Promise.all([start(), start()]);
  }
  await check();
  const both = await Promise.all(servers.map((server) => onServer(first, server)));
  const used = await inTurn(both, 0).usage();
  const { items = 0, files = 0 } = used;
  assert.ok(items > 0 && items <= 400 && files > 0 && files <= 200, JSON.stringify(used));
  const puts = await Promise.all(
    Array.from({ length: 420 - items }, (_, at) =>
      inTurn(both, at).send('PUT', `/c${at % 4}/items`, putItem(String(at))),
    ),
  );
  assert.equal(stored(puts), 400 - items);
  for (let at = files; at < 200; at++)
    assert.equal((await inTurn(both, at).send('POST', `/e/files?name=${at}`, 'x')).status, 201);
  assertExceeded(await inTurn(both, 1).send('POST', '/e/files?name=more', 'x'), 'files');
  await check();
});

test('what was stored without a quota counts when there is one again; a copy is measured anew', async (context) => {
  const { start, items, folder, check } = await fleet(context);
  const one = await start();
  const project = await projectOn(one.url);
  const put = (name: string) => project.send('PUT', '/base/items', putItem(name));
  await project.quota({ items: 2 });
  assert.equal((await put('a')).status, 207);
  await project.quota({});
  for (const name of ['b', 'c', 'd']) assert.equal((await put(name)).status, 207);
  await project.quota({ items: 5 });
  assert.equal((await put('e')).status, 207);
  assertExceeded(await put('f'), 'items');
  await one.stop();
  await check();

  // To a folder, where more is stored, and back into another database.
  const away = join(folder, 'away');
  const copy = async (...words: string[]) => {
    const { code, out, err } = await run(['copy', ...words]);
    assert.equal(code, 0, out + err);
  };
  const blobs = join(folder, 'blobs');
  await copy('--from', items, blobs, '--to', away);
  const file = await adminKeyFile(context);
  const alone = await startServer(context, ['--data', away, '--admin-key-file', file]);
  const there = await onServer(project, alone);
  assertExceeded(await there.send('PUT', '/base/items', putItem('f')), 'items');
  assert.equal((await there.send('DELETE', '/base/items/a')).status, 200);
  await alone.stop();
  const back = await postgres.createDatabase(`quotas${++databases}`);
  assert.equal((await run(['migrate', '--items', back])).code, 0);
  const newBlobs = join(folder, 'blobs2');
  await copy('--from', away, '--to', back, newBlobs);
  const options = ['--items', back, '--blobs', newBlobs, '--data', join(folder, 'data2')];
  const server = await startServer(context, [...options, '--admin-key-file', file]);
  const again = await onServer(project, server);
  assert.equal((await again.send('PUT', '/base/items', putItem('f'))).status, 207);
  assertExceeded(await again.send('PUT', '/base/items', putItem('g')), 'items');
});

test('--quota limits every project, as the server says that started last', async (context) => {
  const { start, check } = await fleet(context);
  const alone = await start();
  const project = await projectOn(alone.url);
  const put = (to: Project, name: string) => to.send('PUT', '/base/items', putItem(name));
  assert.equal((await put(project, 'before')).status, 207);
  // A server that has no quota yet learns of it from the one that has.
  const one = await start('--quota', 'items=20,file_bytes=1000');
  const both = [project, await onServer(project, one)];
  const allKnow = async () => {
    for (const { usage } of both) while ((await usage()).quota === undefined) await wait(20);
  };
  const fill = async (most: number) => {
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, at) =>
        inTurn(both, at).send('PUT', `/b${at % 3}/items`, putItem(`${most}-${at}`)),
      ),
    );
    for (const answer of answers) if (answer.status !== 207) assertExceeded(answer, 'items');
    assert.equal((await project.usage()).items, most);
  };
  await allKnow();
  await fill(20);
  const other = await projectOn(one.url);
  assert.equal((await other.send('POST', '/d/files?name=f', 'x'.repeat(900))).status, 201);
  assertExceeded(await other.send('POST', '/d/files?name=g', 'x'.repeat(101)), 'file_bytes');
  await check();

  // One of its own, and that of all again.
  await project.quota({ items: 25 });
  await fill(25);
  await project.quota({});
  assertExceeded(await put(project, 'more'), 'items');
  await check();

  // A server without it ends it. What is stored then counts when there is one again.
  const without = await start();
  both.push(await onServer(project, without));
  for (const [at, to] of both.entries()) {
    let answer = await put(to, `without-${at}`);
    for (; answer.status === 507; answer = await put(to, `without-${at}`)) await wait(20);
    assert.equal(answer.status, 207, answer.text);
  }
  await check();
  const again = await start('--quota', 'items=30');
  both.push(await onServer(project, again));
  await allKnow();
  await fill(30);
  await check();
});
