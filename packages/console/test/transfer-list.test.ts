import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Signal, signal } from '@preact/signals';
import {
  createTransferList,
  type Transfer,
  type TransferState,
} from '../src/drives/uploads/transfer-list.js';

let looks = 0;

/** A signal that counts how often somebody looks at it. */
function counted<T>(value: T): Signal<T> {
  const own = signal(value);
  const peek = own.peek.bind(own);
  own.peek = () => {
    looks++;
    return peek();
  };
  return own;
}

const transfer = (id: number): Transfer => ({
  id,
  drive: 'photos',
  name: `${id}.png`,
  file: { size: 10 } as File,
  state: counted<TransferState>('waiting'),
  sent: counted(0),
  speed: signal(0),
  problem: signal(''),
  isReplacing: signal(false),
  cause: signal(undefined),
});

const transfers = (count: number) => Array.from({ length: count }, (_, id) => transfer(id));
const ids = (found: Iterable<Transfer>) => Array.from(found, ({ id }) => id);

test('the work for each of many transfers is the same, however many there are', () => {
  const looksOf = (count: number) => {
    const list = createTransferList();
    list.setAll(transfers(count));
    looks = 0;
    for (let n = 0; n < count; n++) {
      const [next] = list.waiting();
      assert.ok(next !== undefined);
      list.setState(next, 'sending');
      list.setSent(next, 10);
      // Half of them stay in the list as failed.
      list.setState(next, n % 2 === 0 ? 'failed' : 'done');
      for (const { state } of list.first(5)) state.peek();
    }
    return looks / count;
  };
  const few = looksOf(100);
  assert.ok(looksOf(10_000) <= few + 1, `${few} looks each of 100, more each of 10,000`);
});

test('the progress is the sum over all transfers', () => {
  const list = createTransferList();
  const all = transfers(5);
  const [a, b, c] = all as [Transfer, Transfer, Transfer];
  list.setAll(all);
  list.setState(a, 'sending');
  list.setSent(a, 10);
  list.setState(a, 'done');
  list.setState(b, 'sending');
  list.setSent(b, 4);
  list.setState(b, 'failed');
  list.setState(c, 'paused');
  const counts = { waiting: 2, sending: 0, stuck: 0, paused: 1, done: 1, failed: 1 };
  assert.deepEqual(list.progress.peek(), { counts, size: 50, sent: 14 });
  assert.deepEqual(ids(list.first(9)), [1, 2, 3, 4, 0]);
  assert.deepEqual(ids(list.first(2)), [1, 2]);

  list.setAll(all.filter((one) => one !== b));
  assert.deepEqual(list.progress.peek(), { counts: { ...counts, failed: 0 }, size: 40, sent: 10 });
  // What is not in the list is not counted.
  list.setSent(b, 9);
  list.setState(b, 'paused');
  assert.deepEqual(list.progress.peek(), { counts: { ...counts, failed: 0 }, size: 40, sent: 10 });
});

test('what is resumed starts before what has not begun', () => {
  const list = createTransferList();
  const all = transfers(4);
  const [a, , c] = all as [Transfer, Transfer, Transfer];
  list.setAll(all);
  list.setState(a, 'sending');
  list.setState(a, 'failed');
  list.setState(c, 'paused');
  assert.deepEqual(ids(list.waiting()), [1, 3]);
  list.setState(c, 'waiting');
  list.setState(a, 'waiting');
  // It waits already.
  list.setState(a, 'waiting');
  assert.deepEqual(ids(list.waiting()), [2, 0, 1, 3]);
  list.setAll([...all, transfer(4)]);
  assert.deepEqual(ids(list.waiting()), [2, 0, 1, 3, 4]);
});
