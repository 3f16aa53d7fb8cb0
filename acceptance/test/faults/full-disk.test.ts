import assert from 'node:assert/strict';
import { mkdtemp, readdir, readlink, rm, stat, watch } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createClient, NoAnswer } from '../../src/model/client.js';
import {
  checkStore,
  dataFlags,
  runCommand,
  type ServerProcess,
  startServer,
} from '../../src/server-process.js';
import {
  assertAllStored,
  assertDone,
  deleteFiles,
  deleteItem,
  fill,
  fillUp,
  firstOf,
  key,
  noDiskReason,
  openDisk,
  putFile,
  putItem,
  restart,
  untilFull,
  untilReady,
  untilRefused,
  untilTaken,
} from '../support/full-disk.js';

/** How many temporary folders there are with links to rows that cannot be opened in their place. */
async function viewsOf(folder: string): Promise<number> {
  const names = (await readdir(tmpdir())).filter((name) => name.startsWith('basedrive-rows-'));
  const locks = await Promise.all(names.map((name) => readlink(join(tmpdir(), name, 'LOCK'))));
  return locks.filter((lock) => lock.startsWith(folder)).length;
}

describe('a full disk', { skip: noDiskReason ?? false }, () => {
  for (const largest of ['files', 'items'] as const) {
    test(`that was filled through the API with ${largest} first is emptied through the API, also after kills`, async (context) => {
      const full = await openDisk(context);
      await fill(full, { largest });
      const { refusal, text } = await untilFull(full);
      assert.match(
        refusal.body.toString(),
        /the disk is full, and until there is room only requests that delete/,
      );
      assert.match(text, /the disk is full/);
      await assertAllStored(full);
      await deleteFiles(full, 3);
      await deleteItem(full);
      await restart(full);
      await assertAllStored(full);
      await deleteItem(full);
      await deleteFiles(full, 3);
      assertDone(await full.client.send('POST', 'b/query/delete', { query: { 'key?pfx': 'k1' } }), full);
      for (const name of [...full.items.keys()]) if (name.startsWith('k1')) full.items.delete(name);
      await restart(full);
      await assertAllStored(full);
      assertDone(await full.client.send('DELETE', 'b/items?all=true'), full);
      full.items.clear();
      await deleteFiles(full, 100);
      assertDone(await full.client.send('DELETE', 'd/files?all=true'), full);
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
        if (name !== undefined) assertDone(await full.client.send('DELETE', `b/items/${name}`), full);
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
      assertDone(await full.client.send('DELETE', 'b/items?all=true'), full);
      full.items.clear();
      assertDone(await full.client.send('DELETE', 'd/files?all=true'), full);
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
        'test "$(echo "$OUT" | grep -c "rows cannot be opened: the disk of .* is full, make [0-9]* MiB of room on it")" = 1',
    );
    await full.disk.run('umount /dev/shm; rm "$DISK"/filler*');
    await restart(full);
    await assertAllStored(full);
  });
});

test('the reserve is in no backup, and `check` knows it', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'basedrive-reserve-'));
  let server: ServerProcess | undefined;
  context.after(async () => {
    await server?.kill();
    await rm(folder, { recursive: true, maxRetries: 10 });
  });
  const [data = '', place = '', restored = ''] = ['data', 'place', 'restored'].map((name) =>
    join(folder, name),
  );
  server = await startServer(dataFlags(data, key));
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
