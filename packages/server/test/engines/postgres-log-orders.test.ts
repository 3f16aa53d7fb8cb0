import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { QueryResult } from 'pg';
import { openLog } from '../../src/engines/postgres/log-rows.js';
import type { Run } from '../../src/engines/postgres/pool.js';

interface Ids {
  readonly timeline: number;
  readonly lowest: string;
  readonly written: string;
}

/** A database that answers what the test says, and whose standbys have replayed its log up to a place. */
async function openFakeLog(replayed: string) {
  let ids: () => Ids | Promise<Ids> = () => ({ timeline: 1, lowest: '10', written: '0/10' });
  const rowOf = async ({ name }: { readonly name: string }, values: readonly unknown[]): Promise<unknown> => {
    if (name === 'is_flushed_to') return { flushed: true };
    if (name === 'had_replayed') return { replayed: String(values[0]) <= replayed };
    const { timeline, ...row } = await ids();
    return { ...row, unused: row.lowest, name: `cluster/${timeline.toString(16).padStart(8, '0')}` };
  };
  const run: Run = async (statement, values = []) =>
    ({ rows: [await rowOf(statement, values)] }) as unknown as QueryResult;
  const log = await openLog(run);
  assert.ok(log);
  const answer = (next: typeof ids) => {
    ids = next;
  };
  return { log, answer };
}

test('a standby that takes over loses nothing if it has all, and two in a row may have lost something', async () => {
  for (const [timeline, losses] of [
    [2, 0],
    [3, 1],
  ] as const) {
    const { log, answer } = await openFakeLog('0/99');
    await log.complete();
    answer(() => ({ timeline, lowest: '20', written: '0/20' }));
    assert.equal(await log.complete(), '20');
    assert.equal(log.order().losses, losses);
  }
});

test('a key that was given while the standby took over counts, too', async () => {
  const { log, answer } = await openFakeLog('0/10');
  await log.complete();
  const promoted = { timeline: 2, lowest: '15', written: '0/15' };
  let answerFirst = (_ids: Ids) => {};
  answer(() => new Promise((resolve) => (answerFirst = resolve)));
  const first = log.complete();
  answer(() => ({ timeline: 1, lowest: '20', written: '0/20' }));
  assert.equal(await log.complete(), '20');
  answer(() => promoted);
  answerFirst(promoted);
  assert.equal(await first, '15');
  assert.equal(log.order().losses, 1);
});
