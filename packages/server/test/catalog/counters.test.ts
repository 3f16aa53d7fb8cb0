import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createBaseService } from '../../src/base/service.js';
import { createCatalogService } from '../../src/catalog/service.js';
import { checkCounters } from '../../src/store/check/check-counters.js';
import { folderStore, memoryStore, servicesOver } from '../support/copy-fixture.js';
import {
  countedBase,
  countedDrive,
  countedUnderRaces,
  everything,
  losingCounts,
} from '../support/counted-races.js';
import { readPut } from '../support/read-bodies.js';
import { settled } from '../support/same-answers.js';

/** Counts nothing itself. */
const hasty = { countMs: 0 };

describe('counters', () => {
  test('are exact after concurrent writes of all kinds, while the base begins and ceases to be counted', async (context) => {
    for (const { items } of [await memoryStore(context), await folderStore(context)]) {
      const { counted, there } = await countedUnderRaces([items], { writes: 1500, seed: 7 });
      assert.deepEqual(counted, there);
      assert.ok(
        counted.every(({ exact, rows = 0 }) => exact && rows > 0),
        JSON.stringify(counted),
      );
    }
  });

  test('are wrong if transactions forget to change them', async (context) => {
    const { items } = await memoryStore(context);
    const { counted, there } = await countedUnderRaces([losingCounts(items, 7)], { writes: 600, seed: 7 });
    assert.notDeepEqual(counted, there);
  });

  test('an old drive is counted after its first write, and what has expired does not count', async (context) => {
    let seconds = 1000;
    const { items, blobs } = await memoryStore(context);
    const services = servicesOver({ items, blobs }, () => seconds * 1000);
    const file = (n: number) => ({
      key: `name/f${n}`,
      value: Buffer.from(`{"id":"x","layout":"row","sizeBytes":${n},"contentType":"a/b","modifiedMs":1}`),
    });
    await items.transact(countedDrive, [], () => ({ puts: [file(1), file(2), file(3)], result: null }));
    const stats = async () =>
      (await createCatalogService(items, () => seconds * 1000, hasty).stats('p', 'counted', everything))
        .drive;
    assert.deepEqual(await stats(), { exact: false });
    const put = { source: Buffer.from('12345'), contentType: 'text/plain', expiresAtSeconds: 1010 };
    await services.drives.put('p', 'counted', 'f9', put);
    await services.drives.put('p', 'counted', 'f1', {
      source: Buffer.from('1234567'),
      contentType: 'text/plain',
    });
    services.drives.startCount(countedDrive);
    while (!(await stats()).exact) await nextTurn();
    assert.deepEqual(await stats(), { rows: 4, bytes: 7 + 2 + 3 + 5, exact: true });
    seconds = 1010;
    assert.deepEqual(await stats(), { rows: 3, bytes: 7 + 2 + 3, exact: true });
    await services.sweep();
    assert.deepEqual(await stats(), { rows: 3, bytes: 7 + 2 + 3, exact: true });
  });

  test('a base has one from its first index on, and none when it has no index any more', async (context) => {
    const { items } = await memoryStore(context);
    const bases = createBaseService(items, () => 1_000_000);
    const stats = async () =>
      (await createCatalogService(items, () => 1_000_000, hasty).stats('p', 'counted', everything)).base;
    const put = (text: string) => bases.put('p', 'counted', readPut(text));
    await put('{"items":[{"key":"a"},{"key":"b","__expires":1}]}');
    assert.deepEqual(await stats(), { exact: false });
    await bases.indexes.declare(countedBase, 'n', { fields: ['n'] });
    while (!(await stats()).exact) await nextTurn();
    assert.deepEqual(await stats(), { rows: 1, bytes: 11, exact: true });
    await put('{"items":[{"key":"a","n":1},{"key":"c"}]}');
    assert.deepEqual(await stats(), { rows: 2, bytes: 11 + 17, exact: true });
    await bases.setCounted('p', 'counted', true);
    await bases.indexes.drop(countedBase, 'n');
    await settled(items, countedBase);
    await bases.remove('p', 'counted', 'c');
    assert.deepEqual(await stats(), { rows: 1, bytes: 17, exact: true });
    await bases.setCounted('p', 'counted', false);
    assert.equal((await stats()).exact, false);
    const keys: string[] = [];
    for await (const rows of items.scan(countedBase)) keys.push(...rows.map(({ key }) => key));
    assert.deepEqual(keys, ['a', 'b']);
  });

  test('check says which are wrong, and with --repair they are counted anew', async (context) => {
    const store = await memoryStore(context);
    const { items } = store;
    const { bases, drives } = servicesOver(store);
    await bases.setCounted('p', 'counted', true);
    await bases.put('p', 'counted', readPut('{"items":[{"key":"a"},{"key":"b"}]}'));
    await drives.put('p', 'counted', 'f', { source: Buffer.from('12345'), contentType: 'text/plain' });
    const catalog = createCatalogService(items, Date.now, hasty);
    const exact = async () => {
      bases.startCount(countedBase);
      drives.startCount(countedDrive);
      const { base, drive } = await catalog.stats('p', 'counted', everything);
      return base.exact && drive.exact ? [base.rows, base.bytes, drive.rows, drive.bytes] : undefined;
    };
    while ((await exact()) === undefined) await nextTurn();
    const right = [2, 22, 1, 5];
    assert.deepEqual(await exact(), right);
    const check = async (isRepaired: boolean) => [
      await checkCounters(items, countedBase, isRepaired),
      await checkCounters(items, countedDrive, isRepaired),
    ];
    const nothing = { problems: [], repaired: 0 };
    assert.deepEqual(await check(false), [nothing, nothing]);
    for (const [space, key] of [
      [countedBase, '\0#'],
      [countedDrive, 'count/'],
    ] as const)
      await items.transact(space, [], () => ({
        puts: [{ key, value: Buffer.from('{"rows":7,"bytes":9}') }],
        result: null,
      }));
    assert.deepEqual(await check(false), [
      { problems: ['the counter says 7 with 9 bytes, and there are 2 with 22 bytes'], repaired: 0 },
      { problems: ['the counter says 7 with 9 bytes, and there are 1 with 5 bytes'], repaired: 0 },
    ]);
    assert.deepEqual(
      (await check(true)).map(({ repaired }) => repaired),
      [1, 1],
    );
    while ((await exact()) === undefined) await nextTurn();
    assert.deepEqual(await exact(), right);
    await Promise.all([bases.stop(), drives.stop(), catalog.stop()]);
  });

  test('without one, the last count stays with its moment, and is renewed when it is old', async (context) => {
    let seconds = 1000;
    const { items } = await memoryStore(context);
    const puts = Array.from({ length: 300 }, (_, n) => ({
      key: `k${n}`,
      value: Buffer.from(`{"key":"k${n}"}`),
    }));
    await items.transact(countedBase, [], () => ({ puts, result: null }));
    // A base that is counted quickly has no such row: this one takes half a second.
    const slow = {
      ...items,
      async *scanText(...given: Parameters<typeof items.scanText>) {
        const untilMs = performance.now() + 500;
        while (performance.now() < untilMs) await nextTurn();
        yield* items.scanText(...given);
      },
    };
    const catalog = createCatalogService(slow, () => seconds * 1000, hasty);
    const base = async () => (await catalog.stats('p', 'counted', everything)).base;
    assert.deepEqual(await base(), { exact: false });
    while ((await base()).rows === undefined) await nextTurn();
    assert.equal((await base()).asOfSeconds, 1000);
    assert.equal((await base()).rows, 300);
    await items.transact(countedBase, [], () => ({ deletes: ['k1'], result: null }));
    seconds = 5000;
    assert.equal((await base()).rows, 300, 'the last one, with its moment');
    while ((await base()).asOfSeconds === 1000) await nextTurn();
    assert.deepEqual((await base()).rows, 299);
    await catalog.stop();
  });
});
