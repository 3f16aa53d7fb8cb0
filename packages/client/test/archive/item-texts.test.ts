import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { elementTexts, type ItemText, itemTexts } from '../../src/archive/import/item-texts.js';
import { objectJson } from '../support/arbitrary-json.js';

async function* inChunks(text: string | Buffer, sizes: readonly number[]): AsyncGenerator<Buffer> {
  let rest = Buffer.from(text);
  for (let n = 0; rest.length > 0; n++) {
    const size = sizes[n % sizes.length] as number;
    yield rest.subarray(0, size);
    rest = rest.subarray(size);
  }
}

async function read(text: string | Buffer, sizes: readonly number[] = [65_536]): Promise<ItemText[]> {
  const items: ItemText[] = [];
  for await (const item of itemTexts(inChunks(text, sizes))) items.push(item);
  return items;
}

async function textsOf(text: string | Buffer, sizes?: readonly number[]) {
  return (await read(text, sizes)).map((item) => item.text?.toString());
}

const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 });
const itemLists = fc.array(
  objectJson.filter((text) => !text.includes('"items"')),
  { minLength: 1, maxLength: 6 },
);

describe('the items in a file', () => {
  test('are found in every form, however the file is cut into chunks, with every digit', async () => {
    await fc.assert(
      fc.asyncProperty(itemLists, sizes, async (list, chunks) => {
        const forms = {
          array: `[${list.join(',')}]`,
          lines: `${list.join('\n')}\n`,
          'lines with CRLF': list.join('\r\n'),
          'array with an item on a line': `[\n${list.join(',\n')}\n]\n`,
          'array with spaces': ` \n[ ${list.join(' ,\r\n\t ')} ]`,
          'object with items': `{"items":[${list.join(',')}]}`,
          'answer of a query': `{"paging":{"size":1,"last":"items"},"items" : [ ${list.join(', ')}\n], "x":[1]}`,
          'byte order mark': `\ufeff[${list.join(',')}]`,
        };
        for (const [form, text] of Object.entries(forms)) {
          assert.deepEqual(await textsOf(text, chunks), list, form);
        }
      }),
      { numRuns: 100 },
    );
  });

  test('are put on one line each if the file is indented', async () => {
    const list = [{ key: 'a', deep: { list: [1, 2, { x: 'y' }] } }, { key: 'b' }];
    for (const text of [
      JSON.stringify(list, null, 2),
      JSON.stringify({ items: list }, null, '\t'),
      list.map((item) => JSON.stringify(item, null, 2)).join('\n'),
    ]) {
      const found = await textsOf(text);
      assert.ok(found.every((item) => !item?.includes('\n')));
      assert.deepEqual(
        found.map((item) => JSON.parse(item ?? '')),
        list,
      );
    }
  });

  test('have the number of the line on which they begin', async () => {
    const linesOf = async (text: string) => (await read(text, [3])).map(({ line }) => line);
    assert.deepEqual(await linesOf('[\n{"a":1},\n\n{"b":\n2}, {"c":3}\n]'), [2, 4, 5]);
    assert.deepEqual(await linesOf('{"a":1}\n\n{"b":2}\n'), [1, 3]);
    assert.deepEqual(await linesOf('\n\n{"items":\n[{"a":1}\n,{"b":2}]}'), [4, 5]);
  });

  test('an item with an attribute `items` is an item', async () => {
    const cart = '{"items":[{"key":"tea"}],"key":"cart-1"}';
    assert.deepEqual(await textsOf(`${cart}\n${cart}\n`), [cart, cart]);
    assert.deepEqual(await textsOf(`[${cart}]`), [cart]);
    assert.deepEqual(await textsOf('{"items":[]}'), []);
  });

  test('what is broken is named, and the rest is found', async () => {
    assert.deepEqual(await read('{"key":"a"}\n{"key":\n{"key":"b"}\n'), [
      { line: 1, text: Buffer.from('{"key":"a"}') },
      { line: 2, text: Buffer.from('{"key":') },
      { line: 3, text: Buffer.from('{"key":"b"}') },
    ]);
    const array = await read('[\n{"key":"a"},\n{"key":"b},\n{"key":"c"}\n]');
    assert.deepEqual(
      array.map(({ line, problem }) => [line, problem]),
      [
        [2, undefined],
        [3, 'a string is not closed before the end of its line'],
        [4, undefined],
      ],
    );
    for (const text of ['[{"key":"a"},\n{"ke', '{"items":[{"key":"a"},\n{"ke']) {
      const [first, second] = await read(text, [4]);
      assert.equal(first?.text?.toString(), '{"key":"a"}');
      assert.deepEqual(second, {
        line: 2,
        text: undefined,
        problem: 'the file ends in the middle of an item',
      });
    }
    const [, cut] = await read('[{"key":"a"},');
    assert.equal(cut?.problem, 'the file ends before its list of items does');
    assert.deepEqual(await read(''), []);
  });

  test('a long file of items in an object is read in pieces; an item that is too long takes no memory', async () => {
    const item = `{"key":"k","text":"${'x'.repeat(100_000)}"}`;
    const long = await textsOf(`{"items":[${Array(30).fill(item).join(',')}]}`, [65_536]);
    assert.equal(long.length, 30);
    assert.ok(long.every((text) => text === item));
    const huge = `{"key":"huge","text":"${'y'.repeat(3_000_000)}"}`;
    for (const text of [`[${item},${huge},${item}]`, `${item}\n${huge}\n${item}\n`]) {
      const found = await read(text, [65_536]);
      assert.deepEqual(
        found.map(({ problem }) => problem),
        [undefined, 'an item has at most 1228800 bytes of JSON', undefined],
      );
    }
  });

  test('any bytes are read to their end', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: fc.constantFrom(...'{}[]",:\\ \n1a') }),
        sizes,
        async (text, chunks) => {
          for (const { text: found, problem } of await read(text, chunks)) {
            assert.ok(found === undefined ? problem !== undefined : !found.includes('\n'));
          }
          for await (const _ of elementTexts(inChunks(text, chunks), 'a'));
        },
      ),
      { numRuns: 500 },
    );
  });
});
