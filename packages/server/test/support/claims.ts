import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { readUpdateByQueryBody } from '../../src/base/by-query/by-query-body.js';
import { type BaseService, createBaseService } from '../../src/base/service.js';
import type { ItemStore } from '../../src/engines/item-store.js';
import { anyone } from '../../src/http/memory/buffer-budget.js';
import { runAtOnce } from '../../src/lib/concurrency/time-slices.js';
import { baseSpace } from '../../src/spaces.js';
import { bodyWith, readPut } from './read-bodies.js';

interface Job {
  readonly key: string;
  readonly at: number;
  readonly by?: string;
}

const jobs = 400;
const callersOfEach = 12;

/**
 * Callers at several servers over the same rows claim jobs until none is left. Checks that each job is given to one
 * caller, the one whose name it has then, and that each claim is in the order.
 */
export async function claimAll(stores: readonly ItemStore[], isIndexed: boolean): Promise<void> {
  const base = isIndexed ? 'indexed' : 'plain';
  const servers = stores.map((store) => createBaseService(store, Date.now));
  const [first] = servers as [BaseService];
  for (let at = 0; at < jobs; at += 25) {
    const items = Array.from({ length: 25 }, (_, n) => ({ key: `j${at + n}`, at: ((at + n) * 7919) % jobs }));
    await first.put('p', base, readPut(JSON.stringify({ items })));
  }
  if (isIndexed) {
    await first.indexes.declare(baseSpace('p', base), 'queue', { fields: ['by', 'at'] });
    const state = async () => (await first.indexes.list(baseSpace('p', base), () => false))[0]?.state;
    while ((await state()) !== 'ready') await nextTurn();
  }
  const given = new Map<string, string>();
  const work = async (server: BaseService, by: string, limit: number) => {
    const members = { query: { 'by?exists': false }, set: { by }, order: ['at'], limit, return: 'new' };
    const body = Buffer.from(JSON.stringify(members));
    for (;;) {
      const asked = bodyWith(runAtOnce(readUpdateByQueryBody(body, 0)));
      const { items, changed, failedCount } = await server.byQuery.update(
        baseSpace('p', base),
        asked,
        anyone,
      );
      const claimed = JSON.parse(items?.finish('[', ']').toString() ?? '') as Job[];
      assert.equal(failedCount, 0);
      assert.equal(claimed.length, changed);
      assert.deepEqual(
        claimed,
        claimed.toSorted((a, b) => a.at - b.at),
      );
      for (const job of claimed) {
        assert.equal(job.by, by);
        assert.equal(given.get(job.key), undefined, `${job.key} was given to another caller`);
        given.set(job.key, by);
      }
      if (claimed.length === 0) return;
    }
  };
  await Promise.all(
    servers.flatMap((server, place) =>
      Array.from({ length: callersOfEach }, (_, n) => work(server, `${place}.${n}`, 1 + (n % 10))),
    ),
  );
  assert.equal(given.size, jobs);
  for (const [key, by] of given) {
    const row = (await first.get('p', base, key)) as Buffer;
    assert.equal((JSON.parse(row.toString()) as Job).by, by);
  }
  await Promise.all(servers.map((server) => server.stop()));
}
