import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { openLevelStore } from '../../../src/engines/level/store.js';
import { openItems } from '../../../src/engines/registry.js';
import { StoreInUse } from '../../../src/engines/storage-errors.js';
import { itemStoreSuite } from '../../conformance/item-store-suite.js';

itemStoreSuite('LevelDB in a folder', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'basedrive-level-'));
  const store = await openLevelStore({ folder, create: true });
  return {
    store,
    reopen: async () => {
      await store.close();
      return openLevelStore({ folder, create: true });
    },
    cleanup: () => rm(folder, { recursive: true }),
  };
});

itemStoreSuite('LevelDB over memory', async () => {
  const store = await openLevelStore({ memory: true });
  return {
    store,
    reopen: async () => {
      await store.close();
      return openLevelStore({ memory: true });
    },
    isInMemory: true,
    cleanup: async () => {},
  };
});

test('the files of rows are for their owner only, whatever the umask of the process is', async (t) => {
  const before = process.umask(0o000);
  t.after(() => process.umask(before));
  const folder = join(await mkdtemp(join(tmpdir(), 'basedrive-level-')), 'rows');
  t.after(() => rm(join(folder, '..'), { recursive: true, maxRetries: 10 }));
  // The second opening makes a table and another log.
  for (let n = 0; n < 2; n++) {
    const store = await openLevelStore({ folder, create: true });
    const value = Buffer.from('1');
    await store.transact('base/demo/a', [], () => ({ puts: [{ key: 'k', value }], result: undefined }));
    await store.close();
  }
  assert.equal((await stat(folder)).mode & 0o777, 0o700);
  const names = await readdir(folder);
  assert.ok(names.some((name) => name.endsWith('.ldb')));
  for (const name of names) assert.equal((await stat(join(folder, name))).mode & 0o777, 0o600, name);
});

test('rows that a process has open stay locked for others when it tries to open them once more, by any path', async (t) => {
  const parent = await mkdtemp(join(tmpdir(), 'basedrive-level-'));
  t.after(() => rm(parent, { recursive: true, maxRetries: 10 }));
  const folder = join(parent, 'rows');
  const store = await openLevelStore({ folder, create: true });
  t.after(() => store.close());
  await symlink(parent, join(parent, 'link'));
  for (const path of [folder, join(parent, 'link', 'rows')])
    await assert.rejects(
      openItems({ address: path, variables: {}, create: true }),
      (cause) => cause instanceof StoreInUse,
    );
  const open = `new (require('classic-level').ClassicLevel)(${JSON.stringify(folder)}).open()
    .then(() => 'open', (cause) => cause.cause.code).then(console.log)`;
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', open], {
    cwd: fileURLToPath(new URL('.', import.meta.url)),
  });
  assert.equal(stdout.trim(), 'LEVEL_LOCKED');
  await store.close();
  await (await openItems({ address: folder, variables: {}, create: false })).close();
});

test('a reader that has seen a row of a commit sees all of its rows, also those in the cache', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'basedrive-level-'));
  const store = await openLevelStore({ folder, create: true });
  const hot = () => Number((store.get('s', 'hot') as Buffer).toString());
  const write = (n: number) => {
    const value = Buffer.from(String(n));
    const puts = ['hot', `fresh${n}`].map((key) => ({ key, value }));
    return store.transact('s', [], () => ({ puts, result: undefined }));
  };
  await write(0);
  let seen = 0;
  for (let n = 1; n <= 300; n++) {
    hot();
    let isWriting = true;
    const written = write(n).finally(() => {
      isWriting = false;
    });
    while (isWriting) {
      if (store.get('s', `fresh${n}`) !== undefined) {
        seen++;
        assert.equal(hot(), n);
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
    await written;
  }
  assert.ok(seen > 0, 'no commit was seen before it was answered');
  await store.close();
  await rm(folder, { recursive: true });
});

test('a row that many transactions of a commit change, such as a counter, is written once, as the last one left it', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'basedrive-level-'));
  t.after(() => rm(folder, { recursive: true, maxRetries: 10 }));
  const store = await openLevelStore({ folder, create: true });
  const writers = 40;
  const valueBytes = 10_000;
  const count = (value: Buffer | undefined) => Number(value?.subarray(0, 3).toString() ?? 0);
  const bytesOf = (n: number) => Buffer.alloc(valueBytes, String(n).padStart(3, '0'));
  const results = await Promise.all(
    Array.from({ length: writers }, (_, writer) =>
      store.transact('s', ['counter', 'gone'], ([value]) => {
        const next = count(value) + 1;
        const puts = [
          { key: 'counter', value: bytesOf(next) },
          { key: `own${writer}`, value: Buffer.from(String(next)) },
        ];
        // The last one deletes what those before it put.
        if (writer < writers - 1) puts.push({ key: 'gone', value: bytesOf(next) });
        return { puts, deletes: writer < writers - 1 ? [] : ['gone'], result: next };
      }),
    ),
  );
  assert.deepEqual(
    results,
    results.map((_, index) => index + 1),
  );
  let logBytes = 0;
  for (const name of await readdir(folder)) {
    if (name.endsWith('.log')) logBytes += (await stat(join(folder, name))).size;
  }
  await store.close();
  // One commit of all, which may have a second of the first writer alone, and the room that is made ahead in the log.
  assert.ok(logBytes < writers * valueBytes, `${logBytes} bytes in the log`);
  const again = await openLevelStore({ folder, create: false });
  const row = (key: string) => again.get('s', key) as Buffer | undefined;
  assert.equal(count(row('counter')), writers);
  assert.equal(row('counter')?.length, valueBytes);
  assert.equal(row('gone'), undefined);
  for (const [writer, result] of results.entries())
    assert.equal(row(`own${writer}`)?.toString(), String(result));
  await again.close();
});
