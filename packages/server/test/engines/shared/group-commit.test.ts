import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  type CommitGroup,
  createGroupCommit,
  type Operation,
} from '../../../src/engines/shared/group-commit.js';
import { turnsDuring } from '../../support/event-loop.js';

/** A store in a map, whose commits are let through one by one. */
function stepwiseStore() {
  const rows = new Map<string, string>();
  const groups: Operation[][] = [];
  const gates: { open: () => void; fail: (cause: Error) => void }[] = [];
  const commit: CommitGroup = async (_group, decide) => {
    const operations = [...decide((key) => (rows.has(key) ? Buffer.from(rows.get(key) ?? '') : undefined))];
    groups.push(operations);
    await new Promise<void>((open, fail) => gates.push({ open, fail }));
    for (const operation of operations) {
      if (operation.type === 'put') rows.set(operation.key, operation.value.toString());
      else rows.delete(operation.key);
    }
  };
  return { rows, groups, gates, commit };
}

const put = (key: string, value: string) => ({
  operations: [{ type: 'put', key, value: Buffer.from(value) }] as const,
  result: value,
});
const tick = () => new Promise((resolve) => setImmediate(resolve));

describe('group commit', () => {
  test('writers that arrive while a commit is in progress share the next one', async () => {
    const { groups, gates, commit } = stepwiseStore();
    const { submit } = createGroupCommit(commit);
    const first = submit([], () => put('a', '1'));
    await tick();
    const rest = ['b', 'c', 'd'].map((key) => submit([], () => put(key, key)));
    await tick();
    assert.equal(groups.length, 1);
    gates[0]?.open();
    assert.equal(await first, '1');
    await tick();
    assert.deepEqual(
      groups.map((group) => group.length),
      [1, 3],
    );
    gates[1]?.open();
    assert.deepEqual(await Promise.all(rest), ['b', 'c', 'd']);
  });

  test('many writers that write again and again do not share one commit: half of them wait for the next', async () => {
    const { groups, gates, commit } = stepwiseStore();
    const { submit } = createGroupCommit(commit);
    const rounds = 6;
    const writers = Array.from({ length: 64 }, async (_, writer) => {
      for (let round = 0; round < rounds; round++) {
        await submit([], () => put(`writer ${writer}`, String(round)));
        await tick();
      }
    });
    let isOver = false;
    const all = Promise.all(writers).finally(() => {
      isOver = true;
    });
    for (let next = 0; !isOver; ) {
      await tick();
      if (next === gates.length) continue;
      // All who were answered have written again by now.
      for (let turn = 0; turn < 5; turn++) await tick();
      gates[next++]?.open();
    }
    await all;
    const sizes = groups.map((group) => group.length);
    assert.equal(
      sizes.reduce((sum, size) => sum + size, 0),
      rounds * writers.length,
    );
    // The last commits have whoever is left. A group that a busy machine decides for more than 5 ms is cut.
    const others = sizes.slice(1, -3).filter((size) => size < 24 || size > 40);
    assert.ok(others.length <= sizes.length / 4, String(sizes));
  });

  test('nobody is answered before the commit', async () => {
    const { gates, commit } = stepwiseStore();
    const { submit } = createGroupCommit(commit);
    let answered = false;
    const write = submit(['a'], () => put('a', '1')).then(() => {
      answered = true;
    });
    await tick();
    assert.equal(answered, false);
    gates[0]?.open();
    await write;
    assert.equal(answered, true);
  });

  test('transactions of one group see those before them', async () => {
    const { rows, gates, commit } = stepwiseStore();
    const { submit } = createGroupCommit(commit);
    const append = (text: string) =>
      submit(['a'], ([value]) => put('a', `${value?.toString() ?? ''}${text}`));
    const writes = [append('1'), append('2'), submit([], () => put('a', 'x')), append('3')];
    await tick();
    gates[0]?.open();
    assert.deepEqual(await Promise.all(writes), ['1', '12', 'x', 'x3']);
    assert.equal(rows.get('a'), 'x3');
  });

  test('a failed commit refuses its group and nobody else', async () => {
    const { rows, gates, commit } = stepwiseStore();
    const { submit, idle } = createGroupCommit(commit);
    const lost = Promise.allSettled([submit([], () => put('a', '1')), submit(['a'], () => put('b', '1'))]);
    await tick();
    const next = submit(['a'], ([value]) => put('c', String(value)));
    gates[0]?.fail(new Error('disk'));
    assert.deepEqual(
      (await lost).map((outcome) => outcome.status),
      ['rejected', 'rejected'],
    );
    await tick();
    gates[1]?.open();
    assert.equal(await next, 'undefined');
    await idle();
    assert.deepEqual([...rows], [['c', 'undefined']]);
  });

  test('a commit that never asked refuses its group', async () => {
    const { submit } = createGroupCommit(() => Promise.reject(new Error('away')));
    await assert.rejects(
      submit([], () => put('a', '1')),
      /away/,
    );
  });

  test('a commit may ask again: the last answer counts', async () => {
    const seen: (string | undefined)[] = [];
    let value = 'old';
    const { submit } = createGroupCommit(async (_group, decide) => {
      decide(() => Buffer.from(value));
      value = 'new';
      decide(() => Buffer.from(value));
    });
    const result = await submit(['a'], ([row]) => {
      seen.push(row?.toString());
      return { operations: [], result: row?.toString() };
    });
    assert.deepEqual(seen, ['old', 'new']);
    assert.equal(result, 'new');
  });

  test('what does not fit into one commit goes into the next, in order', async (context) => {
    context.mock.method(performance, 'now', () => 0);
    const sizes: number[] = [];
    const { submit } = createGroupCommit(async (_group, decide) => {
      sizes.push(decide(() => undefined).length);
    });
    const value = 'x'.repeat(1024 * 1024);
    const results = await Promise.all(
      Array.from({ length: 12 }, (_, n) => submit([], () => ({ ...put(`k${n}`, value), result: n }))),
    );
    assert.deepEqual(
      results,
      results.map((_, n) => n),
    );
    assert.deepEqual(sizes, [5, 5, 2]);
  });

  test('transactions that read much are not decided all at once: others are served in between', async () => {
    const value = Buffer.alloc(1024 * 1024);
    const decided: number[] = [];
    const { submit } = createGroupCommit(async (_group, decide) => {
      decide(() => value);
    });
    let turns = 0;
    let isOver = false;
    const countTurns = () => {
      turns++;
      if (!isOver) setImmediate(countTurns);
    };
    setImmediate(countTurns);
    const reads = Array.from({ length: 12 }, () =>
      submit(['a'], () => {
        decided.push(turns);
        return { operations: [], result: undefined };
      }),
    );
    await Promise.all(reads);
    isOver = true;
    assert.equal(decided.length, 12);
    assert.ok(new Set(decided).size >= 3, `decided in the turns ${decided.join()}`);
  });

  test('transactions that take long to decide are not decided all at once', async (context) => {
    let nowMs = performance.now();
    context.mock.method(performance, 'now', () => nowMs);
    const { submit } = createGroupCommit(async (_group, decide) => {
      decide(() => undefined);
    });
    const turns = await turnsDuring(() =>
      Promise.all(
        Array.from({ length: 100 }, () =>
          submit(['a'], () => {
            nowMs += 0.5;
            return { operations: [], result: undefined };
          }),
        ),
      ),
    );
    assert.ok(turns >= 8, `others had ${turns} turns in 50 ms`);
  });

  test('a group reads a bounded number of keys, and at least one transaction', async (context) => {
    // No group ends because of its time.
    context.mock.method(performance, 'now', () => 0);
    const reads: number[] = [];
    const { submit } = createGroupCommit(async (group, decide) => {
      reads.push(group.flatMap((one) => one.keys).length);
      decide(() => undefined);
    });
    const keys = Array.from({ length: 1000 }, (_, n) => `k${n}`);
    const reading = (each: readonly string[]) => submit(each, () => ({ operations: [], result: undefined }));
    await Promise.all(Array.from({ length: 12 }, () => reading(keys)));
    await reading([...keys, ...keys, ...keys, ...keys, ...keys]);
    assert.deepEqual(reads, [5000, 5000, 2000, 5000]);
  });
});
