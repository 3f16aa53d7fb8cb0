import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { readOrder } from '../../../src/base/query/sort-order.js';
import { JsonNumber } from '../../../src/json/value.js';

test('an order that is read again is the same, and no other', () => {
  const read = (order: readonly string[], sort: 'asc' | 'desc' = 'asc') => readOrder([...order], sort);
  const first = read(['a', '-b.c']);
  assert.equal(read(['a', '-b.c']), first);
  const others = [
    read(['a', '-b.c'], 'desc'),
    read(['a', 'b.c']),
    read(['-b.c', 'a']),
    read(['a']),
    read(['a","-b.c']),
  ];
  const fingerprints = new Set([first, ...others].map((order) => order?.fingerprint));
  assert.equal(fingerprints.size, others.length + 1);
  assert.deepEqual(first?.valuesOf('{"a":1,"b":{"c":"x"},"key":"k"}'), [
    { rank: 2, number: new JsonNumber('1'), float: 1 },
    { rank: 3, text: 'x' },
  ]);
});

test('an order that is wrong is refused however often it comes', () => {
  for (let attempt = 0; attempt < 2; attempt++) {
    assert.throws(() => readOrder(['a', 'a'], 'asc'), /named twice/);
    assert.throws(() => readOrder(['a', null], 'asc'), { status: 400 });
    assert.ok(readOrder(['a'], 'asc'));
  }
});

test('an order of long paths is read, too', () => {
  const path = 'long'.repeat(100);
  assert.equal(readOrder([path], 'asc')?.columns[0]?.path, path);
});

test('an order that is kept does not keep the body that it came from', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const heapBytes = () => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const before = heapBytes();
  const bodyBytes = 1024 * 1024;
  for (let n = 0; n < 100; n++) {
    const path = `a path of some length, number ${n}`;
    const body = Buffer.from(path.padEnd(bodyBytes)).toString();
    assert.ok(readOrder([body.slice(0, path.length)], 'asc'));
  }
  assert.ok(heapBytes() - before < 10 * bodyBytes);
});
