import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { ItemStore } from '../../src/engines/item-store.js';
import { createKeyRing, type KeyRing } from '../../src/keys/key-ring.js';
import { propertyRuns } from './property-runs.js';

const longestPauseMs = 12;
const keysAtOnce = 6;
const rounds = 40;
/** What the limited keys in memory may take: some of them. */
const maxHeldBytes = 3000;

interface Server {
  readonly ring: KeyRing;
  /** Resolves when a reload that begins from now on has ended. */
  reloaded(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Two servers over the same rows, whose calls take random times before and after the rows are read and written, make, use
 * and delete keys. A key that one has deleted is refused there at once, and by the other one after a reload that began later.
 */
export function testKeysOfTwoServers(open: () => Promise<ItemStore>): void {
  test('a deleted key is refused everywhere after a reload, however long calls take', async () => {
    const store = await open();
    const items = delayed(store, () => pause(Math.random() * longestPauseMs));
    const servers = [await serve(items), await serve(items)] as const;
    const round = async (n: number) => {
      const [own, other] = n % 2 === 0 ? servers : ([servers[1], servers[0]] as const);
      const options = n % 3 === 0 ? undefined : ({ access: 'read' } as const);
      const { key, id } = await own.ring.create('shop', options);
      if (options === undefined) {
        // The other server knows such a key only after a reload.
        await other.reloaded();
        assert.equal(await use(other.ring, key), true, `round ${n}: learned of it`);
      }
      // Some are read by the other server while they are deleted, and some before.
      const uses = Promise.all([use(other.ring, key), n % 4 === 0 ? use(other.ring, key, 30) : undefined]);
      if (n % 2 === 0) await uses;
      await own.ring.revoke(id, 'shop');
      assert.equal(await use(own.ring, key), false, `round ${n}: here`);
      await uses;
      await other.reloaded();
      assert.equal(await use(other.ring, key), false, `round ${n}: elsewhere`);
    };
    let next = 0;
    const all = propertyRuns(rounds);
    const worker = async () => {
      while (next < all) await round(next++);
    };
    try {
      await Promise.all(Array.from({ length: keysAtOnce }, worker));
    } finally {
      await Promise.all(servers.map(({ stop }) => stop()));
      await store.close();
    }
  });
}

async function serve(items: ItemStore): Promise<Server> {
  const ring = await createKeyRing(items, [], Date.now, { maxHeldBytes });
  let [begun, ended, stopped] = [0, 0, false];
  const run = async () => {
    while (!stopped) {
      begun++;
      await ring.reload();
      ended = begun;
      await ring.tidy();
    }
  };
  const running = run();
  return {
    ring,
    async reloaded() {
      const before = begun;
      while (ended <= before) await pause(1);
    },
    stop() {
      stopped = true;
      return running;
    },
  };
}

async function use(ring: KeyRing, key: string, afterMs = 0): Promise<boolean> {
  if (afterMs > 0) await pause(afterMs);
  await ring.read(key);
  return ring.authenticate(key) !== undefined;
}

/** The same rows, whose calls take longer. */
function delayed(items: ItemStore, wait: () => Promise<void>): ItemStore {
  async function slowly<T>(call: () => T | Promise<T>): Promise<T> {
    await wait();
    const result = await call();
    await wait();
    return result;
  }
  return {
    ...items,
    get: (space, key) => slowly(() => items.get(space, key)),
    transact: (space, keys, decide, options) => slowly(() => items.transact(space, keys, decide, options)),
    async *scan(space, range) {
      await wait();
      for await (const batch of items.scan(space, range)) {
        await wait();
        yield batch;
      }
    },
  };
}
