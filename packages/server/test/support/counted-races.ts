import assert from 'node:assert/strict';
import { allNames } from '../../src/access/name-set.js';
import { type BaseService, createBaseService } from '../../src/base/service.js';
import type { View } from '../../src/catalog/collections.js';
import { createCatalogService } from '../../src/catalog/service.js';
import { createDriveService, type DriveService } from '../../src/drive/service.js';
import type { BlobStore } from '../../src/engines/blob-store.js';
import { headerKey, type ItemStore } from '../../src/engines/item-store.js';
import { openMemoryBlobStore } from '../../src/engines/memory/blob-store.js';
import { createMaintenance, oneByOne } from '../../src/maintenance/maintenance.js';
import { baseSpace, countsSpace, driveSpace } from '../../src/spaces.js';
import { readPut, readTransaction } from './read-bodies.js';

const name = 'counted';
export const countedBase = baseSpace('p', name);
export const countedDrive = driveSpace('p', name);
export const everything: View = {
  shown: { bases: allNames, drives: allNames, prefix: '' },
  isAbandoned: () => false,
};

interface Server {
  readonly bases: BaseService;
  readonly drives: DriveService;
  /** Handles what is due. */
  sweep(): Promise<void>;
}

function serverOver(items: ItemStore, blobs: BlobStore): Server {
  const bases = createBaseService(items, Date.now);
  const settings = { uploadTtlSeconds: 86_400, trashSeconds: 3600 };
  const drives = createDriveService({ items, blobs, clock: Date.now, settings, wakeMaintenance() {} });
  const maintenance = createMaintenance({
    items,
    owners: { base: oneByOne(bases.handleDue), drive: drives.handleDue },
    clock: Date.now,
    log: { error: ({ err }) => assert.fail(String(err)) },
    mayWork: () => true,
  });
  return { bases, drives, sweep: maintenance.runOnce };
}

/**
 * Writers at all servers put, replace, update and delete items and files that others write, too, while the base begins
 * to be counted, and stops, and begins again. Resolves to what the counters say, and to what there is.
 */
export async function countedUnderRaces(
  stores: readonly ItemStore[],
  { writes, seed }: { readonly writes: number; readonly seed: number },
) {
  const blobs = openMemoryBlobStore();
  const servers = stores.map((items) => serverOver(items, blobs));
  const [first] = servers;
  const [items] = stores;
  if (first === undefined || items === undefined) throw new Error('no store is given');
  // Before there is a counter.
  for (let n = 0; n < 60; n++) await putItem(first, n, n);
  let left = writes;
  const writers = servers.flatMap((server, at) =>
    Array.from({ length: 4 }, async (_, writer) => {
      let state = seed + 100 * at + writer;
      const below = (limit: number) => {
        state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
        return (state >> 8) % limit;
      };
      while (left-- > 0) await write(server, below);
    }),
  );
  const switcher = (async () => {
    for (let n = 0; left > 0; n++) {
      await (servers[n % servers.length] as Server).bases.setCounted('p', name, n % 3 !== 2);
      await first.sweep();
    }
    await first.bases.setCounted('p', name, true);
  })();
  await Promise.all([...writers, switcher]);
  const catalog = createCatalogService(items, Date.now, { countMs: 0 });
  const stats = async (of = catalog) => {
    const { base, drive, trash } = await of.stats('p', name, everything);
    return [base, drive, trash].map(({ rows, bytes, exact }) => ({ rows, bytes, exact }));
  };
  let counted = await stats();
  for (let tries = 0; counted.some(({ exact }) => !exact) && tries < 1000; tries++) {
    for (const { bases, drives } of servers) {
      bases.startCount(countedBase);
      drives.startCount(countedDrive);
    }
    await new Promise((resolve) => setTimeout(resolve, 2));
    counted = await stats();
  }
  const plain = createCatalogService(withoutCounters(items), Date.now, { countMs: 60_000 });
  const there = await stats(plain);
  for (const { bases, drives } of servers) await Promise.all([bases.stop(), drives.stop()]);
  return { counted, there };
}

/** So the rows themselves are counted. */
function withoutCounters(items: ItemStore): ItemStore {
  const isCounter = (key: string) => key.startsWith(`${headerKey}#`) || key.startsWith('count');
  return {
    ...items,
    get: (space, key) => (isCounter(key) || space === countsSpace ? undefined : items.get(space, key)),
  };
}

function putItem({ bases }: Server, key: number, n: number): Promise<void> {
  return bases.put('p', name, readPut(`{"items":[{"key":"k${key}","text":"${'x'.repeat(n % 50)}"}]}`));
}

async function write(server: Server, below: (limit: number) => number): Promise<void> {
  const { bases, drives } = server;
  const key = below(80);
  const file = `f${below(30)}`;
  switch (below(8)) {
    case 0:
    case 1:
      return putItem(server, key, below(50));
    case 2:
      return bases.remove('p', name, `k${key}`);
    case 3: {
      const operations = `{"put":{"key":"k${key}"}},{"delete":{"key":"k${below(80)}"}},{"insert":{"key":"k${below(80)}"}}`;
      await bases.transact('p', name, readTransaction(`{"operations":[${operations}]}`));
      return;
    }
    case 4:
      return drives.remove('p', name, [file]);
    case 5: {
      const files = [{ from: file, to: `f${below(30)}` }];
      await drives.move('p', name, { files, overwrite: true }).catch(() => {});
      return;
    }
    default:
      await drives.put('p', name, file, {
        source: Buffer.alloc(below(2000)),
        contentType: 'text/plain',
      });
  }
}

/** A store whose transactions forget what they add to counters, one time of so many. */
export function losingCounts(items: ItemStore, everyTimes: number): ItemStore {
  let times = 0;
  return {
    ...items,
    transact: (space, keys, decide) =>
      items.transact(space, keys, (rows) => {
        const change = decide(rows);
        const isLost = ++times % everyTimes === 0;
        const isCounter = (key: string) => key.startsWith(`${headerKey}#`) || key.startsWith('count');
        return isLost
          ? { ...change, puts: (change.puts ?? []).filter(({ key }) => !isCounter(key)) }
          : change;
      }),
  };
}
