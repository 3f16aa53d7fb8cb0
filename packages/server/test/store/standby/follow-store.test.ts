import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { StorageUnavailable } from '../../../src/engines/storage-errors.js';
import type { Store } from '../../../src/engines/store.js';
import { createDropOld } from '../../../src/feed/retention.js';
import { createKeyRing } from '../../../src/keys/key-ring.js';
import { checkStore } from '../../../src/store/check/check-store.js';
import { leaveCopy } from '../../../src/store/copy/copy-marker.js';
import { namingFailures } from '../../../src/store/copy/places.js';
import { isFollowProgress } from '../../../src/store/standby/progress.js';
import { busyFiles, watchOwners } from '../../support/busy-files.js';
import {
  drive,
  fill,
  folderStore,
  large,
  memoryStore,
  openUpload,
  putItems,
  rowsOf,
} from '../../support/copy-fixture.js';
import { noted, startStandby } from '../../support/standby.js';

/** What a standby has of a store: what is garbage at one of them is none of its business. */
async function contentOf(store: Store) {
  return (await rowsOf(store)).filter(
    ({ space, key }) => !(space.startsWith('drive/') && key.startsWith('garbage/')),
  );
}

async function assertEqual(source: Store, destination: Store): Promise<void> {
  assert.deepEqual(await contentOf(destination), await contentOf(source));
  const { problems } = await checkStore({ ...destination, clock: Date.now, orphanAgeSeconds: 0 });
  assert.deepEqual(problems, []);
}

async function pair(context: TestContext) {
  const source = await memoryStore(context);
  const destination = await memoryStore(context);
  return { source, destination, log: await noted(source) };
}

describe('a standby', () => {
  for (const [name, from, to] of [
    ['memory to a folder', memoryStore, folderStore],
    ['a folder to memory', folderStore, memoryStore],
  ] as const) {
    test(`has every kind of row, and what changes of each: ${name}`, async (context) => {
      const source = await from(context);
      const log = await noted(source);
      const services = await fill(source);
      const destination = await to(context);
      const standby = startStandby(context, source, destination, { log });
      await standby.even();
      await assertEqual(source, destination);

      await putItems(source, 'plain', ['a', 'new'], 4_000_000_000);
      await source.items.transact('base/demo/expiring', [], () => ({ deletes: ['soon'], result: undefined }));
      const { drives } = services;
      await drives.put(...drive, 'large', {
        source: large('L'),
        contentType: 'text/plain',
        metadata: { a: 'b' },
      });
      await drives.put(...drive, 'expiring', {
        source: Buffer.from('x'),
        contentType: 'text/plain',
        expiresAtSeconds: 4_000_000_000,
      });
      await drives.remove('other', 'x', ['large']);
      await drives.move(...drive, { files: [{ from: 'joined', to: 'moved' }], overwrite: false });
      const id = await openUpload(services, 'late', 'a', 'b');
      await openUpload(services, 'later', 'a', 'b');
      await standby.even();
      await assertEqual(source, destination);
      await drives.uploads.end(...drive, 'late', { uploadId: id });
      await services.sweep();
      await standby.even();
      await assertEqual(source, destination);
      await standby.stop();
    });
  }

  test('goes on where it was stopped, and compares nothing', async (context) => {
    const { source, destination, log } = await pair(context);
    await putItems(source, 'plain', ['a', 'b']);
    const first = startStandby(context, source, destination, { log });
    await first.even();
    await first.stop();
    await putItems(source, 'plain', ['c']);
    let phases = '';
    const second = startStandby(context, source, destination, {
      log,
    });
    void second
      .told(({ phase }) => {
        phases += ` ${phase}`;
        return false;
      })
      .catch(() => {});
    await second.even();
    await second.stop();
    assert.doesNotMatch(phases, /copying|behind/);
    await assertEqual(source, destination);
  });

  test('says that it waits, for which place and why, until that takes what there is', async (context) => {
    const { source, destination, log } = await pair(context);
    await putItems(source, 'plain', ['a']);
    let isFull = false;
    const refuse = () => {
      if (isFull) throw new StorageUnavailable('not now', { cause: new Error('no room') });
    };
    const items: typeof destination.items = {
      ...destination.items,
      async transact(...given) {
        refuse();
        return await destination.items.transact(...given);
      },
      async *spaces(...given) {
        refuse();
        yield* destination.items.spaces(...given);
      },
    };
    const standby = await namingFailures(
      { dataFolder: '/mnt/standby' },
      { ...destination, items },
      async (named) => startStandby(context, source, named, { log }),
    );
    await standby.even();
    isFull = true;
    const told: string[] = [];
    void standby
      .told((progress) => {
        if (told.length > 0 || progress.phase === 'waiting')
          told.push(`${progress.phase} ${isFollowProgress(progress) && progress.problem}`);
        return false;
      })
      .catch(() => {});
    await putItems(source, 'plain', ['b']);
    while (told.length < 4) await setTimeout(50);
    assert.deepEqual([...new Set(told)], ['waiting /mnt/standby: no room']);
    isFull = false;
    await standby.even();
    await standby.stop();
    await assertEqual(source, destination);
  });

  test('says that the log no longer has what comes next, and compares all', async (context) => {
    const { source, destination, log } = await pair(context);
    await putItems(source, 'plain', ['a', 'b']);
    const first = startStandby(context, source, destination, { log });
    await first.even();
    await first.stop();
    await source.items.transact('base/demo/plain', [], () => ({ deletes: ['a'], result: undefined }));
    await createDropOld({
      items: source.items,
      clock: Date.now,
      log: { error() {} },
      keepMs: 0,
      mayWork: () => true,
    })();
    const second = startStandby(context, source, destination, { log });
    await second.told(({ phase }) => phase === 'behind');
    await second.even();
    await second.stop();
    await assertEqual(source, destination);
  });

  test('brings keys that were made and deleted', async (context) => {
    const { source, destination, log } = await pair(context);
    const keys = await createKeyRing(source.items, [], Date.now);
    const { name } = await keys.create('demo');
    const standby = startStandby(context, source, destination, { log });
    await standby.even();
    await keys.create('other');
    assert.ok(name !== '');
    while ((await contentOf(destination)).length !== (await contentOf(source)).length) await standby.even();
    await assertEqual(source, destination);
    await standby.stop();
  });

  test('has no transaction in part, whenever it is looked at', async (context) => {
    const { source, destination, log } = await pair(context);
    const wrong: string[] = [];
    let looks = 0;
    const watched: Store = {
      blobs: destination.blobs,
      items: {
        ...destination.items,
        async transact(space, keys, decide) {
          const result = await destination.items.transact(space, keys, decide);
          if (space !== 'base/demo/pairs') return result;
          const seen: string[] = [];
          for await (const rows of destination.items.scan(space, { gte: '\u0001' }))
            seen.push(...rows.map(({ value }) => JSON.parse(value.toString()).n));
          looks++;
          if (new Set(seen).size > 1) wrong.push(seen.join(' '));
          return result;
        },
      },
    };
    const put = (keys: readonly string[], n: number) =>
      source.items.transact('base/demo/pairs', [], () => ({
        puts: keys.map((key) => ({ key, value: Buffer.from(JSON.stringify({ key, n })) })),
        result: undefined,
      }));
    const all = ['a', 'b', 'c', 'd'];
    let n = 0;
    let times = 0;
    // Between what was noted and the moment at which it is read, a transaction changes it and others.
    const busy: Store = {
      blobs: source.blobs,
      items: {
        ...source.items,
        async snapshot(space) {
          if (space === 'base/demo/pairs' && times-- > 0) await put(all, ++n);
          return await source.items.snapshot(space);
        },
      },
    };
    await put(all, n);
    const standby = startStandby(context, busy, watched, { log });
    await standby.even();
    looks = 0;
    for (let round = 0; round < 5; round++) {
      times = 2;
      // It changes nothing. Whoever follows it alone, and reads what is there, has a part of the transaction.
      await put(['a'], n);
      await standby.even();
    }
    await standby.stop();
    // A round reads the pairs at least once, and mostly twice or more.
    assert.ok(looks >= 5 && n >= 5, `${looks} ${n}`);
    assert.deepEqual(wrong, []);
    await assertEqual(source, destination);
  });

  for (const seed of [1, 2, 3]) {
    test(`every content has one owner while files are moved, copied, overwritten and deleted: seed ${seed}`, async (context) => {
      const { source, destination: to, log } = await pair(context);
      const busy = await busyFiles(source, 60, seed);
      const shared: string[] = [];
      const destination = watchOwners(to, (id, keys) => shared.push(`${id}: ${keys.join(', ')}`));
      const { holdGarbage } = busy.services.drives;
      const standby = startStandby(context, source, destination, { log, holdGarbage });
      await standby.even();
      const work = busy.inTurn(20);
      for (let round = 0; round < 4; round++) {
        const even = standby.even();
        await Promise.all([work(), work(), work(), even]);
      }
      await standby.even();
      await standby.stop();
      assert.deepEqual(shared, []);
      await assertEqual(source, to);
    });
  }

  test('ends when a server was started on it, and is refused from then on', async (context) => {
    const { source, destination, log } = await pair(context);
    await putItems(source, 'plain', ['a']);
    const standby = startStandby(context, source, destination, { log });
    await standby.even();
    const position = await leaveCopy(destination.items);
    assert.equal(position?.isTorn, false);
    await putItems(source, 'plain', ['b']);
    await assert.rejects(standby.ended, /A server was started on the destination/);
    await assert.rejects(
      startStandby(context, source, destination, { log }).ended,
      /holds something else, or a server was started on it/,
    );
  });
});
