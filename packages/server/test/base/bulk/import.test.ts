import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { importItems } from '../../../src/base/bulk/import.js';
import { ImportAnswer } from '../../../src/base/bulk/import-answer.js';
import type { Item } from '../../../src/base/items/item.js';
import { runInSlices } from '../../../src/lib/concurrency/time-slices.js';

async function* chunksOf(...texts: string[]): AsyncGenerator<Buffer> {
  for (const text of texts) yield Buffer.from(text);
}

async function textOf(answer: AsyncIterable<Buffer>): Promise<string> {
  let text = '';
  for await (const piece of answer) text += piece.toString();
  return text;
}

describe('an import', () => {
  const toStored = (item: Item) => item;
  const run = runInSlices;
  const maxBatchItems = 1000;

  test('while a batch is being stored the next one is gathered, and no more is read', async () => {
    const release: (() => void)[] = [];
    const batches: number[] = [];
    const store = async (items: readonly Item[]) => {
      batches.push(items.length);
      await new Promise<void>((resolve) => release.push(resolve));
      return [];
    };
    let given = 0;
    async function* body(): AsyncGenerator<Buffer> {
      for (; given < 5000; given++) yield Buffer.from(`{"key":"k${given}"}\n`);
    }
    const answer = textOf(importItems(body(), { storeBatch: store, maxBatchItems, toStored, run }));
    while (given < 1000) await new Promise(setImmediate);
    for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate);
    assert.ok(given <= 1001, `${given} lines were read while the first batch waits`);
    assert.deepEqual(batches, [1]);
    while (batches.reduce((sum, size) => sum + size, 0) < 5000) {
      release.shift()?.();
      await new Promise(setImmediate);
    }
    release.shift()?.();
    assert.equal(await answer, '{"stored":5000,"failed":0}\n');
    assert.ok(Math.max(...batches) <= 1000);
  });

  test('what the store fails with ends the answer', async () => {
    const store = () => Promise.reject(new Error('no room'));
    await assert.rejects(
      textOf(importItems(chunksOf('{"key":"a"}\n'), { storeBatch: store, maxBatchItems, toStored, run })),
      /no room/,
    );
  });

  test('a body that fails ends the answer after the batch that is being stored', async () => {
    let stored = 0;
    async function* cut(): AsyncGenerator<Buffer> {
      yield Buffer.from('{"key":"a"}\n');
      throw new Error('cut');
    }
    const store = async () => {
      stored++;
      return [];
    };
    await assert.rejects(
      textOf(importItems(cut(), { storeBatch: store, maxBatchItems, toStored, run })),
      /cut/,
    );
    assert.equal(stored, 1);
  });

  test('who reads late gets the lines that were refused, up to a bound, and the number of the others', async () => {
    const answer = new ImportAnswer(1);
    let reported = 0;
    let rooms = 0;
    for (let line = 1; line <= 100_000; line++) {
      answer.refuse(line, [{ code: 'wrong_type', path: 'item', message: 'item: must be an object' }]);
      if (!answer.isFull) continue;
      rooms++;
      await answer.room();
    }
    assert.equal(rooms, 1, 'it is waited for the reader once');
    answer.end('{}');
    const lines = (await textOf(answer.pieces())).trim().split('\n');
    reported = lines.length - 1;
    assert.ok(reported > 500 && reported < 2000, `${reported} lines`);
    assert.equal(answer.unreported, 100_000 - reported);
    assert.equal(lines.at(-1), '{}');
  });

  test('a slow reader gets every refused line', async () => {
    const answer = new ImportAnswer(60_000);
    const write = async () => {
      for (let line = 1; line <= 5000; line++) {
        answer.refuse(line, [{ code: 'wrong_type', path: 'item', message: 'item: must be an object' }]);
        if (answer.isFull) await answer.room();
      }
      answer.end('{}');
    };
    const written = write();
    let count = -1;
    for await (const piece of answer.pieces()) {
      count += piece.toString().split('\n').length - 1;
      await new Promise(setImmediate);
    }
    await written;
    assert.equal(count, 5000);
    assert.equal(answer.unreported, 0);
  });
});
