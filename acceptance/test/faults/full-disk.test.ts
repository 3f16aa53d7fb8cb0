import assert from 'node:assert/strict';
import { mkdtemp, readdir, readlink, rm, stat, watch } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Client, createClient, NoAnswer, type Reply } from '../../src/model/client.js';
import { bytesOf } from '../../src/random.js';
import { checkStore, dataFlags, runCommand, startServer } from '../../src/server-process.js';
import { openSmallDisk, type SmallDisk, whyNoSmallDisk } from '../support/small-disk.js';

const key = 'full_0123456789';
const reason = whyNoSmallDisk();
if (reason !== undefined && process.env.BASEDRIVE_REQUIRE_SMALL_DISK === '1') throw new Error(reason);
const size = '64m';

/** A server on a small disk, and what it has acknowledged. */
interface FullDisk {
  readonly folder: string;
  readonly disk: SmallDisk;
  client: Client;
  readonly items: Map<string, string>;
  readonly files: Map<string, Buffer>;
  /** Keys of items whose put was answered with 503. */
  readonly refused: Set<string>;
}

async function openDisk(context: TestContext): Promise<FullDisk> {
  const folder = await mkdtemp(join(tmpdir(), 'basedrive-full-'));
  const disk = await openSmallDisk(folder, key, size);
  const full = {
    folder,
    disk,
    client: createClient(disk.port, key, 4),
    items: new Map(),
    files: new Map(),
    refused: new Set<string>(),
  };
  context.after(async () => {
    full.client.close();
    await disk.close();
    await rm(folder, { recursive: true });
  });
  await disk.run('until test -s "$DISK/data/rows/RESERVE"; do sleep 0.05; done');
  return full;
}

async function restart(full: FullDisk): Promise<void> {
  full.client.close();
  await full.disk.restart();
  full.client = createClient(full.disk.port, key, 4);
}

let count = 0;

async function putItem({ client, items, refused }: FullDisk, bytes: number): Promise<Reply> {
  const item = { key: `k${++count}`, text: bytesOf(count, bytes).toString('base64') };
  const reply = await client.send('PUT', 'b/items', { items: [item] });
  if (reply.status === 207) items.set(item.key, item.text);
  else refused.add(item.key);
  return reply;
}

async function putFile({ client, files }: FullDisk, bytes: number): Promise<Reply> {
  const name = `f${++count}`;
  const content = bytesOf(count, bytes);
  const reply = await client.send('POST', `d/files?name=${name}`, content);
  if (reply.status === 201) files.set(name, content);
  return reply;
}

async function untilRefused(write: () => Promise<Reply>): Promise<Reply> {
  for (let tries = 0; tries < 5000; tries++) {
    const reply = await write();
    if (reply.status === 503) return reply;
    assert.ok(reply.status < 300, `${reply.status} ${reply.body}`);
  }
  assert.fail('no write was refused');
}

async function untilTaken(write: () => Promise<Reply>): Promise<void> {
  const endMs = performance.now() + 30_000;
  for (;;) {
    const reply = await write();
    if (reply.status < 300) return;
    assert.equal(reply.status, 503, reply.body.toString());
    assert.ok(performance.now() < endMs, `writes are still refused: ${reply.body}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Files and items until none is taken any more, and then small ones. */
async function fill(full: FullDisk, { largest }: { largest: 'files' | 'items' }): Promise<void> {
  for (let n = 0; n < 20; n++) {
    await untilTaken(() => putItem(full, 2000));
    await untilTaken(() => putFile(full, 20_000));
  }
  const writes = [() => putFile(full, 300_000), () => putItem(full, 250_000)];
  if (largest === 'items') writes.reverse();
  for (const write of writes) await untilRefused(write);
  // Compaction may make room again, so that some of these are taken.
  for (const bytes of [30_000, 3000, 300]) {
    for (let n = 0; n < 20; n++) {
      await putFile(full, bytes);
      await putItem(full, bytes);
    }
  }
}

async function assertAllStored({ client, items, files, refused }: FullDisk): Promise<void> {
  for (const [name, text] of items) {
    const { status, body } = await client.send('GET', `b/items/${name}`);
    assert.equal(status, 200, `${name}: ${body}`);
    assert.equal((JSON.parse(body.toString()) as { text: string }).text, text);
  }
  for (const name of refused) {
    assert.equal((await client.send('GET', `b/items/${name}`)).status, 404, `${name} was refused`);
  }
  for (const [name, content] of files) {
    const { status, body } = await client.send('GET', `d/files/download?name=${name}`);
    assert.equal(status, 200, name);
    assert.ok(body.equals(content), name);
  }
  assert.equal((await client.send('POST', 'b/query', { limit: 5 })).status, 200);
  assert.equal((await client.send('GET', 'd/files')).status, 200);
}

function assertDone(reply: Reply): void {
  assert.equal(reply.status, 200, reply.body.toString());
}

function firstOf<T>(stored: Map<string, T>, many: number): string[] {
  const names = [...stored.keys()].slice(0, many);
  for (const name of names) stored.delete(name);
  return names;
}

async function deleteFiles({ client, files }: FullDisk, many: number): Promise<void> {
  const names = firstOf(files, many);
  const reply = await client.send('DELETE', 'd/files', { names });
  assertDone(reply);
  assert.deepEqual((JSON.parse(reply.body.toString()) as { deleted: string[] }).deleted, names);
}

async function deleteItem({ client, items }: FullDisk): Promise<void> {
  const [name = ''] = firstOf(items, 1);
  assertDone(await client.send('DELETE', `b/items/${name}`));
}

async function ready(port: number): Promise<{ status: number; text: string }> {
  const answer = await fetch(`http://127.0.0.1:${port}/ready`);
  return { status: answer.status, text: await answer.text() };
}

async function untilReady(port: number, wanted: number): Promise<string> {
  const endMs = performance.now() + 30_000;
  for (;;) {
    const { status, text } = await ready(port);
    if (status === wanted) return text;
    assert.ok(performance.now() < endMs, `${status} ${text}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Takes all that is left, in two sizes: a file system may have no large piece any more. */
const fillUp =
  'for S in 1M 4k; do dd if=/dev/zero of="$DISK/filler$((N=N+1))" bs=$S 2>/dev/null; test -e "$DISK/filler$N"; done';

/** How many temporary folders there are with links to rows that cannot be opened in their place. */
async function viewsOf(folder: string): Promise<number> {
  const names = (await readdir(tmpdir())).filter((name) => name.startsWith('basedrive-rows-'));
  const locks = await Promise.all(names.map((name) => readlink(join(tmpdir(), name, 'LOCK'))));
  return locks.filter((lock) => lock.startsWith(folder)).length;
}

describe('a full disk', { skip: reason ?? false }, () => {
  for (const largest of ['files', 'items'] as const) {
    test(`that was filled through the API with ${largest} first is emptied through the API, also after kills`, async (context) => {
      const full = await openDisk(context);
      await fill(full, { largest });
      const refusal = await untilRefused(() => putItem(full, 30_000));
      assert.match(
        refusal.body.toString(),
        /the disk is full, and until there is room only requests that delete/,
      );
      assert.match(await untilReady(full.disk.port, 503), /the disk is full/);
      await assertAllStored(full);
      await deleteFiles(full, 3);
      await deleteItem(full);
      await restart(full);
      await assertAllStored(full);
      await deleteItem(full);
      await deleteFiles(full, 3);
      assertDone(await full.client.send('POST', 'b/query/delete', { query: { 'key?pfx': 'k1' } }));
      for (const name of [...full.items.keys()]) if (name.startsWith('k1')) full.items.delete(name);
      await restart(full);
      await assertAllStored(full);
      assertDone(await full.client.send('DELETE', 'b/items?all=true'));
      full.items.clear();
      await deleteFiles(full, 100);
      assertDone(await full.client.send('DELETE', 'd/files?all=true'));
      full.files.clear();
      await untilTaken(() => putItem(full, 200_000));
      await untilTaken(() => putFile(full, 300_000));
      await untilReady(full.disk.port, 200);
      await restart(full);
      await assertAllStored(full);
    });
  }

  for (const isKilled of [false, true])
    test(`that somebody else filled to the last byte is emptied through the API${isKilled ? ' after a kill' : ''}`, async (context) => {
      const full = await openDisk(context);
      for (let n = 0; n < 30; n++) {
        assert.equal((await putItem(full, 100_000)).status, 207);
        assert.equal((await putFile(full, 100_000)).status, 201);
      }
      await full.disk.run(fillUp);
      await untilRefused(() => putItem(full, 100_000));
      await untilRefused(() => putFile(full, 100_000));
      if (isKilled) await restart(full);
      await assertAllStored(full);
      await deleteItem(full);
      await deleteFiles(full, 1);
      assert.equal((await putItem(full, 10)).status, 503);
      await restart(full);
      await assertAllStored(full);
      assert.equal((await putItem(full, 10)).status, 503);
      await deleteFiles(full, full.files.size);
      await deleteItem(full);
      await assertAllStored(full);
      await full.disk.run('rm "$DISK"/filler*');
      await untilTaken(() => putFile(full, 300_000));
      await untilTaken(() => putItem(full, 10));
      await full.disk.run('until test -s "$DISK/data/rows/RESERVE"; do sleep 0.05; done');
      await restart(full);
      await assertAllStored(full);
    });

  test('without any room and any reserve: the server starts and reads, and writes again as soon as there is room', async (context) => {
    const full = await openDisk(context);
    const views = async () => await viewsOf(full.folder);
    for (let n = 0; n < 30; n++) {
      assert.equal((await putItem(full, 100_000)).status, 207);
      assert.equal((await putFile(full, 10_000)).status, 201);
    }
    await full.disk.run(`end || true; rm "$DISK/data/rows/RESERVE"; ${fillUp}`);
    await restart(full);
    await assertAllStored(full);
    const untilThen = /the disk is full; nothing can be written or deleted until \d+ MiB more of it are free/;
    for (const reply of [
      await full.client.send('PUT', 'b/items', { items: [{ key: 'refused' }] }),
      await full.client.send('DELETE', 'b/items?all=true'),
      await full.client.send('DELETE', 'd/files?all=true'),
    ]) {
      assert.equal(reply.status, 503);
      assert.match(reply.body.toString(), untilThen);
    }
    assert.match(await untilReady(full.disk.port, 503), untilThen);
    assert.equal(await views(), 1);
    await restart(full);
    await assertAllStored(full);
    assert.equal(await views(), 1, 'what the kill has left is removed');
    await full.disk.run('rm "$DISK"/filler*');
    await untilReady(full.disk.port, 200);
    await untilTaken(() => putItem(full, 100_000));
    await assertAllStored(full);
    await deleteItem(full);
    assert.equal(await views(), 0);
    await full.disk.run('until test -s "$DISK/data/rows/RESERVE"; do sleep 0.05; done');
    await restart(full);
    await assertAllStored(full);
    assert.equal((await full.client.send('GET', 'b/items/refused')).status, 404);
  });

  test('that is filled and emptied while the server is killed again and again loses nothing', async (context) => {
    const full = await openDisk(context);
    for (let kills = 0; kills < 3; kills++) {
      await fill(full, { largest: kills % 2 === 0 ? 'items' : 'files' });
      let isOver = false;
      /** The server is killed at some moment: what was in progress then is done or not. */
      const repeat = async (work: () => Promise<unknown>) => {
        try {
          while (!isOver) {
            await work();
            await nextTurn();
          }
        } catch (cause) {
          if (!(cause instanceof NoAnswer)) throw cause;
        }
      };
      const deleteOne = async () => {
        const [name] = firstOf(full.items, 1);
        if (name !== undefined) assertDone(await full.client.send('DELETE', `b/items/${name}`));
      };
      const deleteFile = async () => {
        if (full.files.size > 0) await deleteFiles(full, 1);
      };
      const loops = [deleteOne, deleteFile, () => putItem(full, 20_000), () => putFile(full, 100_000)].map(
        repeat,
      );
      await new Promise((resolve) => setTimeout(resolve, 100 + 100 * kills));
      await full.disk.restart();
      isOver = true;
      await Promise.all(loops);
      full.client.close();
      full.client = createClient(full.disk.port, key, 4);
      await assertAllStored(full);
      assertDone(await full.client.send('DELETE', 'b/items?all=true'));
      full.items.clear();
      assertDone(await full.client.send('DELETE', 'd/files?all=true'));
      full.files.clear();
      await untilTaken(() => putItem(full, 20_000));
      await untilTaken(() => putFile(full, 20_000));
    }
    await restart(full);
    await assertAllStored(full);
  });

  test('without room anywhere: the server says in one line how much it needs', async (context) => {
    const full = await openDisk(context);
    for (let n = 0; n < 30; n++) assert.equal((await putItem(full, 100_000)).status, 207);
    await full.disk.run(`end; rm "$DISK/data/rows/RESERVE"; mkdir "$DISK/tmp"; ${fillUp}`);
    await full.disk.run('mount -t tmpfs -o size=64k tmpfs /dev/shm');
    await full.disk.run(
      'OUT=$(TMPDIR="$DISK/tmp" timeout 20 node "$MAIN" --data "$DISK/data" --port 0 2>&1 >/dev/null); test $? = 2 && ' +
        'test "$(echo "$OUT" | grep -c "rows cannot be opened: the disk is full, make [0-9]* MiB of room on it")" = 1',
    );
    await full.disk.run('umount /dev/shm; rm "$DISK"/filler*');
    await restart(full);
    await assertAllStored(full);
  });
});

test('the reserve is in no backup, and `check` knows it', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'basedrive-reserve-'));
  context.after(() => rm(folder, { recursive: true, maxRetries: 10 }));
  const [data = '', place = '', restored = ''] = ['data', 'place', 'restored'].map((name) =>
    join(folder, name),
  );
  const server = await startServer(dataFlags(data, key));
  const rows = join(data, 'rows');
  // It is made some time after the start.
  const changes = watch(rows);
  if (!(await readdir(rows)).includes('RESERVE')) {
    for await (const { filename } of changes) if (filename === 'RESERVE') break;
  }
  await runCommand(['backup', place, '--data', data]);
  await server.stop();
  assert.ok((await stat(join(data, 'rows', 'RESERVE'))).size > 0);
  assert.deepEqual(await checkStore(['--data', data]), []);
  await runCommand(['restore', place, '--data', restored]);
  assert.ok(!(await readdir(join(restored, 'rows'))).includes('RESERVE'));
  assert.deepEqual(await checkStore(['--data', restored]), []);
});
