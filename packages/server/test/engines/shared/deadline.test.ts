import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, mock, test } from 'node:test';
import type { ItemStore, Snapshot } from '../../../src/engines/item-store.js';
import { openLevelStore } from '../../../src/engines/level/store.js';
import { withDeadline } from '../../../src/engines/shared/deadline.js';
import { StorageUnavailable } from '../../../src/engines/storage-errors.js';
import { itemStoreSuite } from '../../conformance/item-store-suite.js';

itemStoreSuite('with a deadline', async () => {
  const open = async () => withDeadline(await openLevelStore({ memory: true }), 10_000);
  const store = await open();
  return {
    store,
    reopen: async () => {
      await store.close();
      return open();
    },
    isInMemory: true,
    cleanup: async () => {},
  };
});

describe('an item store that hangs', () => {
  const never = <T>() => new Promise<T>(() => {});
  // biome-ignore lint/correctness/useYield: it hangs before its first value
  async function* hangs(): AsyncGenerator<never> {
    await never();
  }
  const hanging: ItemStore = {
    isShared: true,
    get: () => never(),
    transact: () => never(),
    scan: () => hangs(),
    scanText: () => hangs(),
    snapshot: () => never(),
    spaces: () => hangs(),
    firstRows: () => never(),
    due: () => never(),
    close: async () => {},
  };

  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
  afterEach(() => mock.timers.reset());

  const calls: Readonly<Record<string, (items: ItemStore) => Promise<unknown>>> = {
    get: async (items) => await items.get('base/a/b', 'key'),
    transact: (items) => items.transact('base/a/b', [], () => ({ result: undefined })),
    scan: async (items) => {
      for await (const _ of items.scan('base/a/b')) return;
    },
    snapshot: async (items) => await items.snapshot('base/a/b'),
    spaces: async (items) => {
      for await (const _ of items.spaces('base/')) return;
    },
    firstRows: (items) => items.firstRows(['base/a/b'], {}),
    due: (items) => items.due(0, 1),
  };
  test('a snapshot that is opened too late is closed', async () => {
    let isClosed = false;
    let open = () => {};
    const opening = new Promise<void>((resolve) => {
      open = resolve;
    });
    const late = {
      ...hanging,
      snapshot: async () => {
        await opening;
        return {
          close: async () => {
            isClosed = true;
          },
        } as Snapshot;
      },
    };
    const rejected = assert.rejects(withDeadline(late, 5000).snapshot('base/a/b'), StorageUnavailable);
    mock.timers.tick(5000);
    await rejected;
    assert.equal(isClosed, false);
    open();
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(isClosed, true);
  });

  for (const [name, call] of Object.entries(calls)) {
    test(`${name} rejects when its time is over, and not before`, async () => {
      let ended = false;
      const called = call(withDeadline(hanging, 5000)).finally(() => {
        ended = true;
      });
      const rejected = assert.rejects(called, StorageUnavailable);
      mock.timers.tick(4999);
      await new Promise((resolve) => setImmediate(resolve));
      assert.ok(!ended);
      mock.timers.tick(1);
      await rejected;
    });
  }
});
