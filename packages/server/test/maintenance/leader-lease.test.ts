import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { ItemStore } from '../../src/engines/item-store.js';
import { openLevelStore } from '../../src/engines/level/store.js';
import { StorageUnavailable } from '../../src/engines/storage-errors.js';
import { createLease, type Lease } from '../../src/maintenance/leader-lease.js';
import {
  createMaintenance,
  type Maintenance,
  type Owner,
  oneByOne,
} from '../../src/maintenance/maintenance.js';

/** Longer than any lease holds without a renewal. */
const longMs = 60_000;

describe('the leader lease', () => {
  let items: ItemStore;
  let nowMs: number;
  let failures: unknown[];

  beforeEach(async () => {
    items = await openLevelStore({ memory: true });
    nowMs = 0;
    failures = [];
  });
  afterEach(() => items.close());

  const log = { info() {}, error: (fields: unknown) => failures.push(fields) };
  /** Servers whose clocks have nothing to do with each other, but for their pace. */
  const leaseWith = (offsetMs: number, store: ItemStore = items, yields = () => false): Lease =>
    createLease({ items: store, log, yields, monotonicMs: () => nowMs + offsetMs });
  const held = (leases: readonly Lease[]) => leases.map((lease) => lease.isHeld());

  test('belongs to one of the servers that ask for it at once, as long as that one renews it', async () => {
    const leases = [leaseWith(0), leaseWith(1e9), leaseWith(-1e6)];
    await Promise.all(leases.map((lease) => lease.acquireOrRenew()));
    const leader = leases.findIndex((lease) => lease.isHeld());
    assert.equal(held(leases).filter(Boolean).length, 1);
    for (let second = 0; second < 100; second++) {
      nowMs += 1000;
      await Promise.all(leases.map((lease) => lease.acquireOrRenew()));
      assert.deepEqual(
        held(leases),
        leases.map((_, index) => index === leader),
      );
    }
  });

  test('is taken by another server when its holder is killed, and never while the holder still has it', async () => {
    const [killed, other] = [leaseWith(5e8), leaseWith(0)];
    await killed.acquireOrRenew();
    await other.acquireOrRenew();
    let handedOverMs: number | undefined;
    for (let ms = 0; ms < longMs && handedOverMs === undefined; ms += 100) {
      nowMs = ms;
      await other.acquireOrRenew();
      assert.ok(!(killed.isHeld() && other.isHeld()), `two at ${ms} ms`);
      if (other.isHeld()) handedOverMs = ms;
    }
    assert.ok(handedOverMs !== undefined && handedOverMs >= 2000, String(handedOverMs));
  });

  test('no longer belongs to a server that slept through its end', async () => {
    const [sleeper, other] = [leaseWith(0), leaseWith(0)];
    await sleeper.acquireOrRenew();
    await other.acquireOrRenew();
    nowMs += longMs;
    assert.ok(!sleeper.isHeld());
    await other.acquireOrRenew();
    assert.ok(other.isHeld());
    await sleeper.acquireOrRenew();
    assert.deepEqual(held([sleeper, other]), [false, true]);
  });

  test('is free at once when its holder stops', async () => {
    const [first, second] = [leaseWith(0), leaseWith(0)];
    await first.acquireOrRenew();
    await second.acquireOrRenew();
    await first.stop();
    await second.acquireOrRenew();
    assert.deepEqual(held([first, second]), [false, true]);
    await first.acquireOrRenew();
    assert.ok(!first.isHeld());
  });

  test('is not released by the stop of a server that has lost it', async () => {
    const [late, other] = [leaseWith(0), leaseWith(0)];
    await late.acquireOrRenew();
    await other.acquireOrRenew();
    nowMs += longMs;
    await other.acquireOrRenew();
    await late.stop();
    const third = leaseWith(0);
    await third.acquireOrRenew();
    assert.deepEqual(held([other, third]), [true, false]);
  });

  test('ends while the rows cannot be reached, with one line in the log, and is acquired again afterwards', async () => {
    let isAway = false;
    const lease = leaseWith(0, {
      ...items,
      transact: (space, keys, decide) =>
        isAway ? Promise.reject(new StorageUnavailable('away')) : items.transact(space, keys, decide),
    });
    await lease.acquireOrRenew();
    isAway = true;
    for (let second = 0; second < 20; second++) {
      nowMs += 1000;
      await lease.acquireOrRenew();
    }
    assert.ok(!lease.isHeld());
    assert.equal(failures.length, 1);
    isAway = false;
    await lease.acquireOrRenew();
    assert.ok(lease.isHeld());
  });

  test('is taken at once from a server that yields, by one that does not, and goes back to none that yields', async () => {
    let isWrong = false;
    const wrong = leaseWith(0, items, () => isWrong);
    const alsoWrong = leaseWith(0, items, () => true);
    const right = leaseWith(0);
    const servers = [wrong, alsoWrong, right];
    const renew = async () => {
      for (const server of servers) await server.acquireOrRenew();
      return held(servers);
    };
    assert.deepEqual(await renew(), [true, false, false]);
    isWrong = true;
    await renew();
    assert.deepEqual(await renew(), [false, false, true]);
    nowMs += 1000;
    assert.deepEqual(await renew(), [false, false, true]);
    isWrong = false;
    assert.deepEqual(await renew(), [false, false, true]);
  });

  test('stays with a server that yields while there is no other, also if all yield', async () => {
    const servers = [leaseWith(0, items, () => true), leaseWith(0, items, () => true)];
    for (let second = 0; second < 20; second++) {
      nowMs += 1000;
      for (const server of servers) await server.acquireOrRenew();
      assert.deepEqual(held(servers), [true, false]);
    }
  });

  test('does not delay a stop when the rows hang', async () => {
    let hangs = false;
    const lease = leaseWith(0, {
      ...items,
      transact: (space, keys, decide) =>
        hangs ? new Promise(() => {}) : items.transact(space, keys, decide),
    });
    await lease.acquireOrRenew();
    hangs = true;
    void lease.acquireOrRenew();
    await lease.stop();
    assert.ok(!lease.isHeld());
  });

  describe('with two servers over one store,', () => {
    const dueRows = 250;
    let seen: string[];

    beforeEach(async () => {
      seen = [];
      const puts = Array.from({ length: dueRows }, (_, n) => ({
        key: String(n),
        value: Buffer.alloc(1),
        dueSeconds: 0,
      }));
      await items.transact('base/demo/a', [], () => ({ puts, result: undefined }));
    });

    function server(name: string, owner?: Owner): { lease: Lease; maintenance: Maintenance } {
      const lease = leaseWith(0);
      const base = oneByOne(async (space, key) => {
        seen.push(`${name} ${key}`);
        await items.transact(space, [], () => ({ deletes: [key], result: undefined }));
      });
      const parts = { items, owners: { base: owner ?? base }, clock: () => nowMs, log };
      return { lease, maintenance: createMaintenance({ ...parts, mayWork: lease.isHeld }) };
    }

    test('lets every due row be handled once', async () => {
      const servers = [server('a'), server('b')];
      await Promise.all(servers.map(({ lease }) => lease.acquireOrRenew()));
      await Promise.all(servers.map(({ maintenance }) => maintenance.runOnce()));
      assert.equal(seen.length, dueRows);
      assert.equal(new Set(seen.map((line) => line[0])).size, 1);
    });

    test('lets the other server do the rest when its holder is killed', async () => {
      // Hangs in its first row, as a killed process does.
      const killed = server('killed', () => new Promise(() => {}));
      const other = server('other');
      await killed.lease.acquireOrRenew();
      await other.lease.acquireOrRenew();
      void killed.maintenance.runOnce();
      await other.maintenance.runOnce();
      assert.deepEqual(seen, []);
      nowMs += longMs;
      await other.lease.acquireOrRenew();
      await other.maintenance.runOnce();
      assert.equal(seen.length, dueRows);
    });

    test('stops the maintenance of a server that loses it', async () => {
      const loser = server('loser', async (space, keys) => {
        seen.push(...keys);
        nowMs += longMs;
        await items.transact(space, [], () => ({ deletes: keys, result: undefined }));
        return [];
      });
      await loser.lease.acquireOrRenew();
      await loser.maintenance.runOnce();
      assert.ok(seen.length < dueRows, String(seen.length));
    });
  });
});
