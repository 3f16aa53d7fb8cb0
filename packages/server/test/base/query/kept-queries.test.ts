import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { keepRepeated } from '../../../src/base/query/kept-queries.js';
import { readQueryBody } from '../../../src/base/query/query-body.js';
import { runAtOnce, type Steps } from '../../../src/lib/concurrency/time-slices.js';

/** Counts how often a body was parsed. */
function counted() {
  let reads = 0;
  const read = keepRepeated(function* (body): Steps<{ text: string }> {
    reads++;
    yield;
    const text = body.toString();
    if (text.startsWith('bad')) throw new Error(text);
    return { text };
  });
  return {
    ask: (text: string, owner: string | undefined = 'one') => runAtOnce(read(Buffer.from(text), owner)).text,
    reads: () => reads,
  };
}

describe('queries that are asked again', () => {
  test('are parsed twice, and not a third time', () => {
    const { ask, reads } = counted();
    for (let n = 0; n < 10; n++) assert.equal(ask('é'), 'é');
    assert.equal(reads(), 2);
    assert.equal(ask('e'), 'e');
    assert.equal(reads(), 3);
  });

  test('are those of one owner: the time of an answer says nothing of others', () => {
    const { ask, reads } = counted();
    for (let n = 0; n < 10; n++) for (const owner of ['a', 'b']) ask('query', owner);
    assert.equal(reads(), 4);
    ask('y', 'a\nquer');
    ask('query', 'c');
    assert.equal(reads(), 6);
  });

  test('are parsed each time if they are large, or wrong', () => {
    const { ask, reads } = counted();
    const large = 'x'.repeat(257);
    for (let n = 0; n < 5; n++) ask(large);
    assert.equal(reads(), 5);
    for (let n = 0; n < 5; n++) assert.throws(() => ask('bad'));
    assert.equal(reads(), 10);
  });

  test('stay while others are asked once, and are of a limited number', () => {
    const { ask, reads } = counted();
    for (let n = 0; n < 2; n++) ask('again');
    for (let n = 0; n < 1000; n++) {
      ask(`once ${n}`);
      ask('again');
    }
    assert.equal(reads(), 1002);
    for (let n = 0; n < 300; n++) for (let times = 0; times < 3; times++) ask(`many ${n}`);
    assert.equal(reads(), 1602);
    ask('many 0');
    assert.equal(reads(), 1603);
  });
});

test('two requests that compare items in steps by the same query do not disturb each other', () => {
  const few = { a: 1, 'b?contains': 'x' };
  const many = { ...few, c: 1, d: 1, e: 1, f: 1 };
  const matching = { key: 'k', a: 1, b: 'xyz', c: 1, d: 1, e: 1, f: 1 };
  for (const query of [few, many]) {
    const { filter } = runAtOnce(readQueryBody(Buffer.from(JSON.stringify({ query }))));
    assert.ok(filter);
    const items = [matching, { key: 'k', other: 'longer than the first', a: 2 }, { ...matching, b: 'no' }];
    const steps = items.map((item) => filter.matchesInSteps(JSON.stringify(item)));
    const found: unknown[] = items.map(() => undefined);
    while (found.includes(undefined)) {
      for (const [n, one] of steps.entries()) {
        const { done, value } = one.next();
        if (done && found[n] === undefined) found[n] = value;
      }
      // A small item is compared at once in the meantime.
      assert.equal(filter.matches(JSON.stringify(matching)), true);
    }
    assert.deepEqual(found, [true, false, false]);
  }
});
