import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as pause, setImmediate } from 'node:timers/promises';
import { collectChanges, Room } from '../../src/feed/collect-changes.js';
import type { Batch, Position } from '../../src/feed/position.js';
import { tooManyBytes } from '../../src/request-error.js';

const large = 'x'.repeat(50_000);

function positionOf(number: number): Position {
  return { epoch: 'e', next: String(number), given: 0 };
}

/** Gives each of these changes in a batch of its own, and notes the batches and how many are open. */
function sourceOf(changes: readonly string[]) {
  const given: Batch[] = [];
  const state = { open: 0 };
  async function* open(after?: Position): AsyncGenerator<Batch> {
    state.open++;
    try {
      for (let at = Number(after?.next ?? 0); at < changes.length; at++) {
        const batch = { changes: [changes[at] as string], position: positionOf(at + 1), isLive: false };
        given.push(batch);
        yield batch;
      }
      yield { changes: [], position: positionOf(changes.length), isLive: true };
    } finally {
      state.open--;
    }
  }
  return { open, given, state };
}

describe('the memory of a page of changes', () => {
  test('a page that waits for it keeps nothing of what is large, and has every change once', async () => {
    const changes = ['small', large, `${large}2`, 'last'];
    const { open, given, state } = sourceOf(changes);
    let admit = () => {};
    const admitted = new Promise<void>((resolve) => {
      admit = resolve;
    });
    const asked: number[] = [];
    const room = new Room(100, (bytes) => {
      asked.push(bytes);
      return admitted;
    });
    const page = collectChanges({ open }, room, 0);
    while (asked.length === 0 || state.open > 0) await setImmediate();
    assert.deepEqual(given[1]?.changes, [], 'the large batch is empty');
    admit();
    assert.deepEqual(await page, { changes, position: positionOf(4), isLive: true });
    assert.equal(asked.length, 1);
    assert.equal(state.open, 0);
  });

  test('a page that waits for it longer than for changes has them all the same', async () => {
    async function* open(after?: Position): AsyncGenerator<Batch> {
      if (after === undefined) yield { changes: [], position: positionOf(1), isLive: true };
      yield { changes: [large], position: positionOf(2), isLive: false };
      yield { changes: [], position: positionOf(2), isLive: true };
    }
    const room = new Room(100, () => pause(50));
    const page = await collectChanges({ open }, room, 10);
    assert.deepEqual(page, { changes: [large], position: positionOf(2), isLive: true });
  });

  test('without it, the page is refused, and nothing stays open', async () => {
    const { open, state } = sourceOf([large]);
    const reserve = () => Promise.reject(tooManyBytes());
    await assert.rejects(collectChanges({ open }, new Room(100, reserve), 0), { status: 429 });
    await setImmediate();
    assert.equal(state.open, 0);
  });

  test('a small page asks for none', async () => {
    const { open } = sourceOf(['a', 'b']);
    const reserve = () => assert.fail('asked');
    const page = await collectChanges({ open }, new Room(100, reserve), 0);
    assert.deepEqual(page?.changes, ['a', 'b']);
  });
});
