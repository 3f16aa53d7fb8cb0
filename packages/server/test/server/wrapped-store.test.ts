import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BlobStore } from '../../src/engines/blob-store.js';
import type { FrozenRows, ItemStore, Snapshot } from '../../src/engines/item-store.js';
import { openLevelStore } from '../../src/engines/level/store.js';
import { openMemoryBlobStore } from '../../src/engines/memory/blob-store.js';
import type { Store } from '../../src/engines/store.js';
import { randomId } from '../../src/lib/random-id.js';
import type { CallObserver } from '../../src/server/call-observer.js';
import { createMetrics } from '../../src/server/metrics/metrics.js';
import { tracedCalls, tracedWrites } from '../../src/server/traces/traced-calls.js';
import { wrapStore } from '../../src/server/wrapped-store.js';
import { blobStoreSuite } from '../conformance/blob-store-suite.js';
import { itemStoreSuite } from '../conformance/item-store-suite.js';

const openStore = async (): Promise<Store> => ({
  items: await openLevelStore({ memory: true }),
  blobs: openMemoryBlobStore(),
});

/** The store as a server with metrics and traces has it. */
async function measuredStore(): Promise<Store> {
  const begin = () => ({ set() {}, end() {} });
  return wrapStore(createMetrics().observe(await openStore()), {
    rows: (operation) => (operation === 'write' ? tracedWrites : tracedCalls)(operation, begin),
    blobs: (operation) => tracedCalls(operation, begin),
  });
}

// It keeps every promise of the store within.

itemStoreSuite('measured', async () => {
  const { items: store } = await measuredStore();
  const reopen = async () => {
    await store.close();
    return (await measuredStore()).items;
  };
  return { store, reopen, isInMemory: true, cleanup: async () => {} };
});

blobStoreSuite('measured', async () => {
  const { blobs: store } = await measuredStore();
  const reopen = async () => {
    await store.close();
    return (await measuredStore()).blobs;
  };
  return { store, reopen, isInMemory: true, cleanup: async () => {} };
});

/** A wrapped store, and what was told of its calls since `told` was called last. */
async function recordedStore(change: (store: Store) => Store = (store) => store) {
  let notes: string[] = [];
  const note = (text: string) => notes.push(text);
  const around = (operation: string): CallObserver<string> => ({
    begin: () => `${operation} began`,
    ended: (begun) => note(`${begun}, ended`),
    failed: (begun, cause) => note(`${begun}, failed: ${(cause as Error).message}`),
    decided: (begun) => note(`${begun}, decided`),
    list: () => ({
      batch: () => note(`${operation} batch`),
      done: () => note(`${operation} done`),
      failed: (_, cause) => note(`${operation} list failed: ${(cause as Error).message}`),
      left: () => note(`${operation} left`),
    }),
    memory: { begin: () => `${operation} began`, found: (begun) => note(`${begun}, found`) },
  });
  const store = wrapStore(change(await openStore()), { rows: around, blobs: around });
  const told = () => {
    const since = notes;
    notes = [];
    return since;
  };
  return { ...store, told };
}

const space = 'base/demo/a';
const put = (key: string) => () => ({ puts: [{ key, value: Buffer.from('x') }], result: undefined });

async function drained(list: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of list);
}

type Calls<Contract> = Readonly<
  Record<keyof Required<Contract>, readonly [() => unknown, readonly string[]]>
>;

/** Calls every member of a contract, and compares what is told. */
async function callAll<T>(calls: Calls<T>, told: () => readonly string[]): Promise<void> {
  for (const [member, [use, expected]] of Object.entries<readonly [() => unknown, readonly string[]]>(
    calls,
  )) {
    told();
    await use();
    assert.deepEqual(told(), expected, member);
  }
}

const nothing: readonly string[] = [];
const listed = (operation: string) => [`${operation} batch`, `${operation} done`];
const ended = (operation: string) => [`${operation} began, ended`];

test('every member of both contracts is told', async () => {
  const { items, blobs, told } = await recordedStore((store) => ({
    ...store,
    // The engine in memory has none of these.
    items: {
      ...store.items,
      storedBytes: async () => 7,
      ready: async () => {},
      nowMs: async () => 8,
      async *verify() {},
      transactAcross: async (_space, _keys, _second, decide) => decide([], []).result,
    },
    blobs: { ...store.blobs, ready: async () => {}, writeUnlessThere: async () => true },
  }));
  await items.transact(space, [], put('a'));
  await items.get(space, 'a');
  const snapshot = await items.snapshot(space);
  await callAll<Snapshot>(
    {
      keys: [() => drained(snapshot.keys({})), listed('list')],
      scan: [() => drained(snapshot.scan({})), listed('list')],
      scanText: [() => drained(snapshot.scanText({})), listed('list')],
      texts: [() => snapshot.texts(['a']), ended('read')],
      counts: [() => drained(snapshot.counts({})), listed('list')],
      dueKeys: [() => snapshot.dueKeys(1, 1), ended('due')],
      close: [() => snapshot.close(), nothing],
    },
    told,
  );
  const frozen = await items.freeze?.();
  assert.ok(frozen !== undefined);
  await callAll<FrozenRows>(
    {
      get: [() => frozen.get(space, 'a'), ended('get')],
      scan: [() => drained(frozen.scan(space)), listed('list')],
      spaces: [() => drained(frozen.spaces('')), listed('list')],
      close: [() => frozen.close(), nothing],
    },
    told,
  );
  await callAll<ItemStore>(
    {
      isShared: [() => assert.equal(items.isShared, false), nothing],
      get: [() => items.get(space, 'a'), ['get began, found']],
      transact: [() => items.transact(space, [], put('a')), ['write began, decided', ...ended('write')]],
      transactAcross: [
        () => items.transactAcross?.(space, [], { space: 'second', locked: [], read: [] }, put('a')),
        ['write began, decided', ...ended('write')],
      ],
      scan: [() => drained(items.scan(space)), listed('list')],
      scanText: [() => drained(items.scanText(space)), listed('list')],
      snapshot: [async () => (await items.snapshot(space)).close(), ended('snapshot')],
      momentsAtOnce: [() => assert.equal(items.momentsAtOnce, undefined), nothing],
      rowsSync: [() => assert.ok(items.rowsSync?.(space)?.get('a')), nothing],
      freeze: [async () => (await items.freeze?.())?.close(), ended('freeze')],
      spaces: [() => drained(items.spaces('')), listed('list')],
      firstRows: [() => items.firstRows([space], {}), ended('list')],
      due: [() => items.due(1, 1), ended('due')],
      verify: [() => drained(items.verify!()), ['verify done']],
      ready: [() => items.ready?.(), ended('ready')],
      nowMs: [async () => assert.equal(await items.nowMs?.(), 8), nothing],
      reads: [() => assert.equal(typeof items.reads?.(), 'number'), nothing],
      keepChanges: [() => items.keepChanges?.(nothingNoted), nothing],
      refusal: [() => assert.equal(items.refusal?.(), undefined), nothing],
      cache: [() => assert.equal(typeof items.cache?.().hits, 'number'), nothing],
      shrink: [() => items.shrink?.(), nothing],
      storedBytes: [async () => assert.equal(await items.storedBytes?.(), 7), ended('size')],
      close: [() => items.close(), nothing],
    },
    told,
  );
  const id = randomId();
  await callAll<BlobStore>(
    {
      keptByWrite: [() => assert.equal(typeof blobs.keptByWrite, 'number'), nothing],
      replaces: [() => assert.equal(blobs.replaces, undefined), nothing],
      write: [() => blobs.write(id, [Buffer.from('x')]), ended('write')],
      writeUnlessThere: [() => blobs.writeUnlessThere?.(id, Buffer.from('x')), ended('write')],
      read: [() => drained(blobs.read(id)), listed('read')],
      readWhole: [() => blobs.readWhole(id, 1), ended('read')],
      ids: [() => drained(blobs.ids()), listed('list')],
      ready: [() => blobs.ready?.(), ended('read')],
      delete: [() => blobs.delete([id]), ended('delete')],
      add: [() => blobs.add([Buffer.from('x')]), ended('write')],
      close: [() => blobs.close(), nothing],
    },
    told,
  );
});

const nothingNoted = { notedRows: () => undefined, clock: Date.now, generation: '1' };

test('a get that finds its row in memory stays without a promise', async () => {
  const { items, told } = await recordedStore();
  await items.transact(space, [], put('a'));
  await items.get(space, 'a');
  told();
  assert.deepEqual(items.get(space, 'a'), Buffer.from('x'));
  assert.deepEqual(told(), ['get began, found']);
  await items.close();
});

test('failures, and a reader who leaves, are told', async () => {
  const away = new Error('away');
  const { items, told } = await recordedStore(({ items, blobs }) => ({
    blobs,
    items: {
      ...items,
      get: () => Promise.reject(away),
      transact: () => Promise.reject(away),
      snapshot: () => Promise.reject(away),
      // biome-ignore lint/correctness/useYield: it fails before its first batch
      scanText: async function* () {
        throw away;
      },
    },
  }));
  const failures: readonly (readonly [() => unknown, string])[] = [
    [() => items.get(space, 'a'), 'get began, failed: away'],
    [() => items.transact(space, [], put('a')), 'write began, failed: away'],
    [() => items.snapshot(space), 'snapshot began, failed: away'],
    [() => drained(items.scanText(space)), 'list list failed: away'],
  ];
  for (const [use, expected] of failures) {
    await assert.rejects(async () => await use(), away);
    assert.deepEqual(told(), [expected]);
  }

  const { blobs, told: toldOfBlobs } = await recordedStore();
  const id = randomId();
  await blobs.write(id, [Buffer.alloc(600_000)]);
  toldOfBlobs();
  for await (const _ of blobs.read(id)) break;
  assert.deepEqual(toldOfBlobs(), ['read batch', 'read left']);
});

test('what an engine does not have, the wrapped store does not have', async () => {
  const { items: whole } = await openStore();
  const { freeze, verify, reads, ready, cache, storedBytes, shrink, ...least } = whole;
  const { items } = await recordedStore(({ blobs }) => ({ blobs, items: least }));
  for (const member of ['freeze', 'verify', 'reads', 'ready', 'cache', 'storedBytes', 'shrink'] as const)
    assert.equal(items[member], undefined, member);
});
