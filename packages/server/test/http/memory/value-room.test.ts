import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createValueBudget } from '../../../src/http/memory/budgets.js';
import { anyone } from '../../../src/http/memory/buffer-budget.js';
import { runInRoom, ValueRoom } from '../../../src/http/memory/value-room.js';
import { rereadableBody } from '../../../src/http/requests/bodies/rereadable-body.js';
import { runInSlices, type Steps } from '../../../src/lib/concurrency/time-slices.js';
import { Abandoned, RequestError } from '../../../src/request-error.js';

const mib = 1024 * 1024;
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

describe('the memory of values', () => {
  test('work that needs more than there is runs alone, and small work beside it', async () => {
    const budget = createValueBudget(40 * mib);
    const first = new ValueRoom(budget, anyone);
    const second = new ValueRoom(budget, anyone);
    assert.equal(first.grow(100 * mib), undefined);
    const waits = second.grow(100 * mib);
    assert.ok(waits !== undefined);
    assert.equal(new ValueRoom(budget, anyone).grow(mib), undefined);
    first.release();
    await waits;
    assert.equal(second.bytes, 30 * mib);
  });

  test('what is needed less is free', () => {
    const budget = createValueBudget(40 * mib);
    const room = new ValueRoom(budget, anyone);
    void room.grow(100 * mib);
    void room.grow(-90 * mib);
    assert.equal(room.bytes, 10 * mib);
    void room.grow(-10 * mib);
    assert.deepEqual(budget.state(), { heldBytes: 0, waitingRequests: 0 });
  });

  test('it is free when the work is over, also when it has failed', async () => {
    const budget = createValueBudget(40 * mib);
    function* work(fails: boolean): Steps<number> {
      yield 20 * mib;
      if (fails) throw new Error('failed');
      return budget.state().heldBytes;
    }
    assert.equal(await runInRoom(budget, anyone, work(false)), 20 * mib);
    await assert.rejects(runInRoom(budget, anyone, work(true)), /failed/);
    assert.equal(budget.state().heldBytes, 0);
  });

  test('work of a client that has left ends', () => {
    const client = { ...anyone, isAbandoned: false };
    const room = new ValueRoom(createValueBudget(40 * mib), client);
    room.check();
    client.isAbandoned = true;
    assert.throws(() => room.check(), Abandoned);
  });

  test('long work that others have to wait for ends after 10 seconds, with 429', async (context) => {
    context.mock.timers.enable({ apis: ['setInterval'] });
    let nowMs = 0;
    context.mock.method(performance, 'now', () => nowMs);
    const budget = createValueBudget(40 * mib);
    const long = new ValueRoom(budget, anyone, true);
    const short = new ValueRoom(budget, anyone);
    void long.grow(15 * mib);
    void short.grow(15 * mib);
    const waits = new ValueRoom(budget, anyone).grow(15 * mib);
    for (nowMs = 0; nowMs < 9_900; nowMs += 250) context.mock.timers.tick(250);
    long.check();
    nowMs = 10_001;
    context.mock.timers.tick(250);
    await waits;
    assert.throws(
      () => long.check(),
      (cause) => cause instanceof RequestError && cause.status === 429,
    );
    short.check();
  });

  test('work that needs a little more goes on while another waits for its end', async () => {
    const budget = createValueBudget(40 * mib);
    const begun = new ValueRoom(budget, anyone);
    void begun.grow(15 * mib);
    const waits = new ValueRoom(budget, anyone).grow(20 * mib);
    assert.ok(waits !== undefined);
    assert.equal(begun.grow(1024), undefined);
    begun.release();
    await waits;
  });
});

describe('what a client asks for', () => {
  async function readTwice(bytes: number): Promise<number> {
    const room = new ValueRoom(createValueBudget(40 * mib), anyone);
    let reads = 0;
    const call = {
      run: <T>(steps: Steps<T>) => runInSlices(steps, room),
      get valueBytes() {
        return room.bytes;
      },
      freeValues: () => room.release(),
    };
    const query = rereadableBody(call, function* () {
      reads++;
      yield bytes;
      return 'query';
    });
    assert.equal(await query.read(), 'query');
    assert.equal(await query.read(), 'query');
    assert.equal(reads, 1);
    query.release();
    if (reads > 1) assert.equal(room.bytes, 0);
    assert.equal(await query.read(), 'query');
    await nextTurn();
    return reads;
  }

  test('is forgotten while it waits and read again if it is large, and kept if it is small', async () => {
    assert.equal(await readTwice(4096), 1);
    assert.equal(await readTwice(5000), 2);
  });
});
