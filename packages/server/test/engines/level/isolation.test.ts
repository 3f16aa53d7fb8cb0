import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  decodeValue,
  dueKey,
  dueMark,
  dueOf,
  encodeRow,
  endOfSpace,
  parseDueKey,
  parseRowKey,
  rowKey,
} from '../../../src/engines/level/rows/row-encoding.js';
import { openLevelStore } from '../../../src/engines/level/store.js';
import { keyRange } from '../../../src/engines/shared/key-range.js';
import { baseSpace, driveSpace, keysSpace } from '../../../src/spaces.js';
import { anyCharacter } from '../../support/any-character.js';

/** Pieces that names are made of where somebody wants two of them to meet: separators, marks, both ends of Unicode. */
const hostile = fc.constantFrom(
  ...[
    '/',
    '\u0001',
    '\u0002',
    ' ',
    '.',
    '%00',
    '\\',
    '\u007f',
    '\u0080',
    '\ud7ff',
    '\ue000',
    '\ufeff',
    '\uffff',
  ],
  ...[
    '\u{10000}',
    '\u{10ffff}',
    'é',
    'e\u0301',
    'a',
    'b',
    'A',
    '0',
    'base',
    'drive',
    'keys',
    'name/',
    'part/',
  ],
  ...['content/', 'upload/', 'garbage/', '000000000000001'],
);
const text = fc.oneof(
  fc.array(hostile, { maxLength: 6 }).map((pieces) => pieces.join('')),
  fc.string({ unit: anyCharacter, maxLength: 12 }).map((any) => any.replaceAll('\0', '')),
);
const name = text.filter((any) => any !== '');
const project = fc.stringMatching(/^[A-Za-z0-9-]{1,8}$/);
const place = fc.record({ kind: fc.constantFrom('base', 'drive'), project, name });
type Place = { kind: string; project: string; name: string };
const spaceOf = ({ kind, project: owner, name: own }: Place) =>
  kind === 'base' ? baseSpace(owner, own) : driveSpace(owner, own);
const space = fc.oneof(place.map(spaceOf), fc.constant(keysSpace));

const bytesOf = (any: string) => Buffer.from(any);
const order = (a: string, b: string) => Math.sign(Buffer.compare(bytesOf(a), bytesOf(b)));
const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
/** Two of a kind, often one made of the other. */
function two<T>(one: fc.Arbitrary<T>, alike: (a: T, more: string) => T): fc.Arbitrary<[T, T]> {
  return fc.oneof(
    fc.tuple(one, one),
    fc.tuple(one, text).map(([a, more]): [T, T] => [a, alike(a, more)]),
  );
}

describe('spaces', () => {
  test('two places have two spaces, and none is that of the keys', () => {
    const pair = two<Place>(place, (a, more) => ({ ...a, name: a.name + more }));
    fc.assert(
      fc.property(pair, ([a, b]) => {
        assert.equal(spaceOf(a) === spaceOf(b), same(a, b));
        assert.notEqual(spaceOf(a), keysSpace);
      }),
    );
  });

  test('a name that looks like a place of another project stays in its own', () => {
    fc.assert(
      fc.property(place, place, (own, other) => {
        const disguised = { ...own, name: `${own.name}/../${spaceOf(other)}` };
        assert.ok(spaceOf(disguised).startsWith(`${own.kind}/${own.project}/`));
      }),
    );
  });
});

describe('rows in LevelDB', () => {
  type Id = readonly [space: string, key: string];
  const id: fc.Arbitrary<Id> = fc.tuple(space, text);
  const ids = two<Id>(id, ([a, key], more) => (more.length % 2 === 0 ? [a, key + more] : [a + more, key]));

  test('two pairs of space and key have two row keys, and a row key gives back its pair', () => {
    fc.assert(
      fc.property(ids, ([a, b]) => {
        assert.equal(order(rowKey(...a), rowKey(...b)) === 0, same(a, b));
        const { space: itsSpace, key } = parseRowKey(rowKey(...a));
        assert.deepEqual([itsSpace, key], a);
      }),
    );
  });

  test('within a space, rows are stored in the order of the bytes of their keys', () => {
    fc.assert(
      fc.property(
        space,
        two(text, (a, more) => a + more),
        (any, [a, b]) => {
          assert.equal(order(rowKey(any, a), rowKey(any, b)), order(a, b));
        },
      ),
    );
  });

  test('the range of a space holds all of its rows and no others', () => {
    fc.assert(
      fc.property(ids, ([[own], [other, key]]) => {
        const row = rowKey(other, key);
        const isWithin = order(row, rowKey(own, '')) >= 0 && order(row, endOfSpace(own)) < 0;
        assert.equal(isWithin, own === other);
      }),
    );
  });

  test('the range of a prefix holds what begins with it and nothing else', () => {
    fc.assert(
      fc.property(
        two(text, (a, more) => a + more),
        ([prefix, key]) => {
          const { gte, lt } = keyRange({ prefix });
          const isWithin = order(key, gte) >= 0 && (lt === undefined || order(key, lt) < 0);
          assert.equal(isWithin, key.startsWith(prefix));
        },
      ),
    );
  });

  test('entries of the due index are apart from all rows, in the order of their times', () => {
    const seconds = fc.integer({ min: 0, max: 2 ** 48 - 1 });
    fc.assert(
      fc.property(ids, seconds, seconds, ([a, b], first, second) => {
        const entry = dueKey(first, rowKey(...a));
        assert.ok(entry.startsWith(dueMark));
        assert.ok(order(entry, rowKey(...b)) < 0, 'spaces begin with a letter');
        assert.deepEqual(parseDueKey(entry), { seconds: first, rowKey: rowKey(...a) });
        if (first !== second) {
          assert.equal(order(entry, dueKey(second, rowKey(...b))), Math.sign(first - second));
        }
      }),
    );
  });

  test('a value comes back as it is, whatever its last bytes are, with its due time', () => {
    const seconds = fc.option(fc.integer({ min: 0, max: 2 ** 48 - 1 }), { nil: undefined });
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 20 }), seconds, (bytes, dueSeconds) => {
        const value = Buffer.from(bytes);
        const put = { key: 'k', value, ...(dueSeconds === undefined ? {} : { dueSeconds }) };
        assert.ok(decodeValue(encodeRow('id', put)).equals(value));
        assert.equal(dueOf(encodeRow('id', put)), dueSeconds);
      }),
    );
  });

  test('many spaces in one store: each gives back its own rows, and only those', async () => {
    const write = fc.record({ place, key: text, value: fc.integer() });
    await fc.assert(
      fc.asyncProperty(fc.array(write, { maxLength: 40 }), async (writes) => {
        const store = await openLevelStore({ memory: true });
        const model = new Map<string, Map<string, string>>();
        try {
          for (const { place: where, key, value } of writes) {
            const own = spaceOf(where);
            const put = { key, value: Buffer.from(String(value)) };
            await store.transact(own, [], () => ({ puts: [put], result: undefined }));
            model.set(own, (model.get(own) ?? new Map()).set(key, String(value)));
          }
          for (const [own, rows] of model) {
            const found: [string, string][] = [];
            for await (const batch of store.scan(own)) {
              for (const row of batch) found.push([row.key, row.value.toString()]);
            }
            assert.deepEqual(
              found,
              [...rows].sort(([a], [b]) => order(a, b)),
            );
          }
          const spaces: string[] = [];
          for await (const own of store.spaces('')) spaces.push(own);
          assert.deepEqual(spaces, [...model.keys()].sort(order));
        } finally {
          await store.close();
        }
      }),
      { numRuns: 50 },
    );
  });
});
