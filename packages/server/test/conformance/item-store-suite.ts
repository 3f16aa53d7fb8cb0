import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import {
  headerKey,
  type ItemStore,
  maxDueSeconds,
  maxRowKeyBytes,
  type Put,
  type Row,
  type ScannedRow,
  type ScanRange,
  type TextRow,
} from '../../src/engines/item-store.js';

export interface ItemStoreFixture {
  readonly store: ItemStore;
  /** Closes the store and opens it again. */
  readonly reopen: () => Promise<ItemStore>;
  /** Whether the store ends with its process: opened again, it is empty. */
  readonly isInMemory?: boolean;
  readonly cleanup: () => Promise<void>;
}

const space = 'base/demo/users';

/** The contract of `src/engines/item-store.ts` as tests, the same for every engine. */
export function itemStoreSuite(name: string, open: () => Promise<ItemStoreFixture>): void {
  describe(`item store: ${name}`, () => {
    let fixture: ItemStoreFixture;
    let store: ItemStore;

    beforeEach(async () => {
      fixture = await open();
      store = fixture.store;
    });
    afterEach(async () => {
      await store.close();
      await fixture.cleanup();
    });

    async function put(key: string, value: string, options: { space?: string; dueSeconds?: number } = {}) {
      const { space: in_ = space, ...due } = options;
      await store.transact(in_, [], () => ({
        puts: [{ key, value: Buffer.from(value), ...due }],
        result: null,
      }));
    }

    async function remove(key: string) {
      await store.transact(space, [], () => ({ deletes: [key], result: null }));
    }

    async function get(key: string, in_ = space) {
      return (await store.get(in_, key))?.toString();
    }

    async function scan(range?: ScanRange, in_ = space): Promise<Row[]> {
      const rows: Row[] = [];
      for await (const batch of store.scan(in_, range)) rows.push(...batch);
      return rows;
    }

    async function keys(range?: ScanRange, in_ = space) {
      return (await scan(range, in_)).map((row) => row.key);
    }

    async function spaces(prefix: string, after?: string) {
      const names: string[] = [];
      for await (const found of store.spaces(prefix, after)) names.push(found);
      return names;
    }

    test('a fresh store is empty', async () => {
      assert.equal(await get('a'), undefined);
      assert.deepEqual(await keys(), []);
      assert.deepEqual(await spaces(''), []);
      assert.deepEqual(await store.due(2 ** 40, 10), []);
    });

    test('gives back the bytes it was given, whatever they are', async () => {
      const every = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
      for (const value of [every, Buffer.alloc(0), Buffer.of(0), Buffer.of(1), Buffer.alloc(1_000_000, 7)]) {
        await store.transact(space, [], () => ({ puts: [{ key: 'bytes', value }], result: null }));
        const found = await store.get(space, 'bytes');
        assert.ok(found && Buffer.compare(found, value) === 0);
        assert.deepEqual((await scan())[0]?.value.length, value.length);
      }
    });

    test('a later put replaces a row, a delete removes it, and to delete a missing row is no error', async () => {
      await put('a', '1');
      await put('a', '2');
      assert.equal(await get('a'), '2');
      await remove('a');
      assert.equal(await get('a'), undefined);
      await remove('a');
    });

    test('keys are ordered by their UTF-8 bytes', async () => {
      const sorted = [
        '!',
        'A',
        'a',
        'a\u0001',
        'a!',
        'aa',
        'b',
        'é',
        '\ud7ff',
        '\uffff',
        '😀',
        '\u{10ffff}',
        '\u{10ffff}a',
      ];
      for (const key of [...sorted].reverse()) await put(key, key);
      assert.deepEqual(await keys(), sorted);
      assert.deepEqual(await keys({ reverse: true }), [...sorted].reverse());
      for (const key of sorted) assert.equal(await get(key), key);
    });

    test('a key may have U+0000 anywhere, and is ordered by it', async () => {
      const sorted = [
        '\0',
        '\0\0',
        '\0\0a',
        '\0\u0001',
        '\0a',
        '\u0001',
        'a',
        'a\0',
        'a\0\0',
        'a\0b',
        'a\u0001',
      ];
      for (const key of [...sorted].reverse()) await put(key, key, { dueSeconds: 7 });
      assert.deepEqual(await keys(), sorted);
      assert.deepEqual(await keys({ reverse: true }), [...sorted].reverse());
      for (const key of sorted) assert.equal(await get(key), key);
      assert.deepEqual(await keys({ prefix: '\0' }), sorted.slice(0, 5));
      assert.deepEqual(await keys({ gt: '\0', lte: '\0a' }), sorted.slice(1, 5));
      assert.deepEqual(await keys({ gt: 'a', lt: 'a\0b', reverse: true }), ['a\0\0', 'a\0']);
      assert.deepEqual(
        (await store.due(7, 100)).map((row) => row.key),
        sorted,
      );
      assert.deepEqual(await spaces(''), [space]);
    });

    test('a key may have the maximum size, in a space with a long name', async () => {
      const long = Array.from({ length: maxRowKeyBytes }, (_, n) =>
        String.fromCharCode(33 + ((n * n) % 89)),
      ).join('');
      const name = `base/${'p'.repeat(200)}/${'é'.repeat(127)}`;
      await put(long, 'x', { space: name });
      assert.equal(await get(long, name), 'x');
      assert.deepEqual(await keys({ prefix: long }, name), [long]);
    });

    test('a key may have 1,024 bytes of long characters', async () => {
      const long = 'é'.repeat(512);
      await put(long, 'x');
      await put(`${long.slice(1)}z`, 'y');
      assert.equal(await get(long), 'x');
      assert.deepEqual(await keys({ prefix: long }), [long]);
    });

    test('keys of every length are found, each longer than all before, in characters of several bytes', async () => {
      const keys = Array.from({ length: 340 }, (_, n) => '€'.repeat(n + 1));
      const puts = keys.map((key) => ({ key, value: Buffer.from(key) }));
      await store.transact(space, [], () => ({ puts, result: null }));
      for (const key of keys) assert.equal(await get(key), key);
    });

    test('a scan keeps to every bound, alone and together', async () => {
      for (const key of ['a', 'b', 'b/1', 'b/2', 'b0', 'c', 'd']) await put(key, key);
      assert.deepEqual(await keys({ gte: 'b' }), ['b', 'b/1', 'b/2', 'b0', 'c', 'd']);
      assert.deepEqual(await keys({ gt: 'b' }), ['b/1', 'b/2', 'b0', 'c', 'd']);
      assert.deepEqual(await keys({ lte: 'b/2' }), ['a', 'b', 'b/1', 'b/2']);
      assert.deepEqual(await keys({ lt: 'b/2' }), ['a', 'b', 'b/1']);
      assert.deepEqual(await keys({ gt: 'a', lt: 'c', reverse: true }), ['b0', 'b/2', 'b/1', 'b']);
      assert.deepEqual(await keys({ prefix: 'b/' }), ['b/1', 'b/2']);
      assert.deepEqual(await keys({ prefix: 'b', gt: 'b/1' }), ['b/2', 'b0']);
      assert.deepEqual(await keys({ prefix: 'b', gte: 'a', lt: 'b0' }), ['b', 'b/1', 'b/2']);
      assert.deepEqual(await keys({ prefix: 'b', reverse: true, lt: 'b/2' }), ['b/1', 'b']);
      assert.deepEqual(await keys({ gte: 'b', gt: 'b', lte: 'c', lt: 'c' }), ['b/1', 'b/2', 'b0']);
      assert.deepEqual(await keys({ gte: 'c', lte: 'b' }), []);
      assert.deepEqual(await keys({ prefix: 'x' }), []);
      assert.deepEqual(await keys({ limit: 2 }), ['a', 'b']);
      assert.deepEqual(await keys({ limit: 2, reverse: true }), ['d', 'c']);
      for (const firstBatch of [1, 3, 1000]) {
        assert.deepEqual(await keys({ prefix: 'b', firstBatch }), ['b', 'b/1', 'b/2', 'b0']);
      }
    });

    test('the bounds of a scan need not exist', async () => {
      for (const key of ['b', 'd']) await put(key, key);
      assert.deepEqual(await keys({ gt: 'a' }), ['b', 'd']);
      assert.deepEqual(await keys({ gt: 'c' }), ['d']);
      assert.deepEqual(await keys({ lt: 'c', reverse: true }), ['b']);
    });

    test('a prefix may end at the end of Unicode', async () => {
      for (const key of ['\ud7ff', '\ud7ffa', '\ue000', '\uffffz', '\u{10ffff}', '\u{10ffff}\u{10ffff}'])
        await put(key, '');
      assert.deepEqual(await keys({ prefix: '\ud7ff' }), ['\ud7ff', '\ud7ffa']);
      assert.deepEqual(await keys({ prefix: '\uffff' }), ['\uffffz']);
      assert.deepEqual(await keys({ prefix: '\u{10ffff}' }), ['\u{10ffff}', '\u{10ffff}\u{10ffff}']);
    });

    test('a scan comes in batches and reads more rows than one holds', async () => {
      const value = Buffer.alloc(1000, 'x');
      const puts = Array.from({ length: 2500 }, (_, n) => ({ key: String(n).padStart(6, '0'), value }));
      await store.transact(space, [], () => ({ puts, result: null }));
      let batches = 0;
      let rows = 0;
      for await (const batch of store.scan(space)) {
        assert.ok(batch.length > 0 && batch.length < 1000);
        batches++;
        rows += batch.length;
      }
      assert.equal(rows, 2500);
      assert.ok(batches > 5);
    });

    test('a scan that is left early releases what it holds', async () => {
      for (const key of ['a', 'b', 'c']) await put(key, key);
      for await (const batch of store.scan(space, { limit: 2 })) {
        assert.equal(batch.length, 2);
        break;
      }
      await put('d', 'd');
      assert.deepEqual(await keys(), ['a', 'b', 'c', 'd']);
    });

    test('a scan sees one moment, whatever is written meanwhile', async () => {
      const value = Buffer.alloc(1000, 'x');
      const puts = Array.from({ length: 500 }, (_, n) => ({ key: String(n).padStart(6, '0'), value }));
      await store.transact(space, [], () => ({ puts, result: null }));
      const seen: string[] = [];
      let first = true;
      for await (const batch of store.scan(space)) {
        if (first) {
          await store.transact(space, [], () => ({
            puts: [{ key: '000499a', value }],
            deletes: ['000499', '000000'],
            result: null,
          }));
        }
        first = false;
        seen.push(...batch.map((row) => row.key));
      }
      assert.deepEqual(
        seen,
        puts.map((row) => row.key),
      );
    });

    test('spaces do not touch each other, also when one is a prefix of another', async () => {
      for (const name of [
        'base/demo/a',
        'base/demo/ab',
        'base/demo/a/b',
        'base/demo/a!',
        'drive/demo/a',
        'base/demo/é',
      ]) {
        await put('k', name, { space: name });
        await put('zz', name, { space: name });
      }
      assert.equal(await get('k', 'base/demo/a'), 'base/demo/a');
      assert.deepEqual(await keys(undefined, 'base/demo/a'), ['k', 'zz']);
      assert.deepEqual(await keys({ gte: 'k', reverse: true }, 'base/demo/ab'), ['zz', 'k']);
      assert.deepEqual(await keys(undefined, 'base/demo/'), []);
      assert.equal(await get('b\u0001', 'base/demo/a'), undefined);
    });

    test('spaces are listed by prefix, once each, in order', async () => {
      const names = ['base/demo/a', 'base/demo/a!', 'base/demo/b', 'base/other/a', 'drive/demo/a', 'keys'];
      for (const name of [...names].reverse()) {
        await put('1', '', { space: name, dueSeconds: 5 });
        await put('2', '', { space: name });
      }
      assert.deepEqual(await spaces(''), names);
      assert.deepEqual(await spaces('base/'), names.slice(0, 4));
      assert.deepEqual(await spaces('base/demo/'), names.slice(0, 3));
      assert.deepEqual(await spaces('base/demo/a'), ['base/demo/a', 'base/demo/a!']);
      assert.deepEqual(await spaces('nothing'), []);
    });

    test('spaces are listed from behind a given name on, whether it exists or not', async () => {
      const names = ['a', 'a!', 'ab', 'b', 'b/c', 'é', '\uffff', '😀'].map((name) => `base/demo/${name}`);
      for (const name of [...names, 'base/demo', 'base/demo0', 'drive/demo/a'])
        await put('k', '', { space: name });
      for (const [index, name] of names.entries()) {
        assert.deepEqual(await spaces('base/demo/', name), names.slice(index + 1), name);
      }
      assert.deepEqual(await spaces('base/demo/', 'base/demo/aa'), names.slice(2));
      assert.deepEqual(await spaces('base/demo/', 'base/demo/'), names);
      assert.deepEqual(await spaces('base/demo/', 'base/a'), names, 'before the prefix');
      assert.deepEqual(await spaces('base/demo/', 'base/demo0'), [], 'behind the prefix');
      assert.deepEqual(await spaces('base/demo/a', 'base/demo/a'), names.slice(1, 3));
      assert.deepEqual(await spaces('base/demo/a', 'base/demo/b'), []);
    });

    test('a transaction sees the rows it names, in their order', async () => {
      await put('a', '1');
      await put('c', '3');
      const seen = await store.transact(space, ['c', 'b', 'a', 'c'], (rows) => ({
        result: rows.map((row) => row?.toString()),
      }));
      assert.deepEqual(seen, ['3', undefined, '1', '3']);
    });

    test('a transaction changes all or nothing, any row of its space', async () => {
      await put('a', '1');
      await put('b', '2');
      const result = await store.transact(space, ['a'], ([row]) => ({
        puts: [
          { key: 'a', value: Buffer.from(`${row}!`) },
          { key: 'c', value: Buffer.from('3') },
        ],
        deletes: ['b', 'never there'],
        result: 'done',
      }));
      assert.equal(result, 'done');
      assert.deepEqual(
        (await scan()).map((row) => [row.key, row.value.toString()]),
        [
          ['a', '1!'],
          ['c', '3'],
        ],
      );
      const refused = store.transact(space, ['a'], () => {
        throw new Error('no');
      });
      await assert.rejects(refused, /^Error: no$/);
      assert.equal(await get('a'), '1!');
    });

    test('one that throws does not disturb those beside it', async () => {
      const outcomes = await Promise.allSettled(
        Array.from({ length: 50 }, (_, n) =>
          store.transact(space, ['counter'], ([row]) => {
            if (n % 2 === 1) throw new Error(`odd ${n}`);
            return {
              puts: [{ key: 'counter', value: Buffer.from(String(Number(row ?? 0) + 1)) }],
              result: n,
            };
          }),
        ),
      );
      assert.equal(outcomes.filter((outcome) => outcome.status === 'fulfilled').length, 25);
      assert.equal(await get('counter'), '25');
    });

    test('sixty-four writers of one counter add up exactly', async () => {
      const perWriter = 20;
      await Promise.all(
        Array.from({ length: 64 }, async () => {
          for (let n = 0; n < perWriter; n++) {
            await store.transact(space, ['counter'], ([row]) => ({
              puts: [{ key: 'counter', value: Buffer.from(String(Number(row ?? 0) + 1)) }],
              result: null,
            }));
          }
        }),
      );
      assert.equal(await get('counter'), String(64 * perWriter));
    });

    test('of many that insert one key, one finds it absent', async () => {
      const won = await Promise.all(
        Array.from({ length: 64 }, (_, n) =>
          store.transact(space, ['only'], ([row]) =>
            row
              ? { result: false }
              : { puts: [{ key: 'only', value: Buffer.from(String(n)) }], result: true },
          ),
        ),
      );
      assert.equal(won.filter(Boolean).length, 1);
    });

    test('blind batches, deletes and readers in one crowd see each other in order', async () => {
      const seen: (string | undefined)[] = [];
      await Promise.all([
        put('x', '1'),
        store.transact(space, ['x'], ([row]) => ({
          deletes: ['x'],
          result: seen.push(row?.toString()),
        })),
        store.transact(space, ['x'], ([row]) => ({
          puts: [{ key: 'x', value: Buffer.from('2') }],
          result: seen.push(row?.toString()),
        })),
      ]);
      // `decide` may run again, so only the last of each counts: every outcome must be one of some order.
      assert.ok(seen.length >= 2);
      assert.ok(['2', undefined].includes(await get('x')));
    });

    test('a transaction reads the header of its space, also if others change it at the same time', async () => {
      const write = (key: string) =>
        store.transact(space, [headerKey], ([header]) => ({
          puts: [{ key, value: Buffer.from(header?.toString() ?? 'none') }],
          result: header?.toString(),
        }));
      const setHeader = (text: string | undefined) =>
        store.transact(space, [headerKey], () => ({
          ...(text === undefined
            ? { deletes: [headerKey] }
            : { puts: [{ key: headerKey, value: Buffer.from(text) }] }),
          result: null,
        }));
      assert.equal(await write('a'), undefined);
      assert.equal(await get('a'), 'none');
      for (const text of ['1', '2', undefined, '3', undefined]) {
        // What begins before the change may see either header; what begins after it sees the new one.
        const before = Array.from({ length: 10 }, (_, n) => write(`before ${n}`));
        await setHeader(text);
        assert.equal(await write('after'), text);
        await Promise.all(before);
        assert.equal(await get('after'), text ?? 'none');
        assert.equal(await get(headerKey), text);
        const others = await store.transact(space, ['a', headerKey, 'none'], (rows) => ({
          deletes: ['before 1'],
          result: rows.map((row) => row?.toString()),
        }));
        assert.deepEqual(others, ['none', text, undefined]);
        assert.equal(await get('before 1'), undefined);
      }
    });

    test('a blind batch sees the header, whatever it changes', async () => {
      const changes: Record<string, { puts?: Put[]; deletes?: string[] }> = {
        nothing: {},
        put: { puts: [{ key: 'a', value: Buffer.from('1') }] },
        'many puts': {
          puts: Array.from({ length: 40 }, (_, n) => ({ key: `p${n}`, value: Buffer.from('1') })),
        },
        delete: { deletes: ['a'] },
        both: { puts: [{ key: 'b', value: Buffer.from('1') }], deletes: ['a', 'p1'] },
      };
      const seen = async () => {
        const found: string[] = [];
        for (const change of Object.values(changes)) {
          found.push(
            await store.transact(space, [headerKey], ([header]) => ({
              ...(header === undefined ? change : {}),
              result: header?.toString() ?? 'none',
            })),
          );
        }
        return found;
      };
      assert.deepEqual(await seen(), Object.keys(changes).fill('none'));
      assert.equal((await keys()).length, 40, 'a and p1 are deleted, b is put');
      await put(headerKey, 'H');
      await put('a', 'stays');
      assert.deepEqual(await seen(), Object.keys(changes).fill('H'));
      assert.equal(await get('a'), 'stays');
    });

    test('a snapshot shows one moment in all of its reads', async () => {
      const puts = Array.from({ length: 1000 }, (_, n) => ({
        key: `\0${String(n).padStart(4, '0')}`,
        value: Buffer.from(String(n)),
      }));
      await store.transact(space, [], () => ({ puts, result: null }));
      const snapshot = await store.snapshot(space);
      try {
        assert.deepEqual(await snapshot.texts(['\x000001', 'none', '\x000999', headerKey]), [
          '1',
          undefined,
          '999',
          undefined,
        ]);
        await store.transact(space, [], () => ({
          puts: [
            { key: '\x000001', value: Buffer.from('new') },
            { key: 'none', value: Buffer.from('é') },
          ],
          deletes: ['\x000999'],
          result: null,
        }));
        assert.deepEqual(await snapshot.texts(['none', '\x000001']), [undefined, '1']);
        const read = async (range: ScanRange) => {
          const found: string[] = [];
          for await (const batch of snapshot.keys(range)) found.push(...batch);
          return found;
        };
        const all = puts.map(({ key }) => key);
        assert.deepEqual(await read({}), all);
        assert.deepEqual(await read({ reverse: true, firstBatch: 3 }), all.toReversed());
        assert.deepEqual(await read({ gte: '\x000010', lt: '\x000020', reverse: true, limit: 2 }), [
          '\x000019',
          '\x000018',
        ]);
        for await (const batch of snapshot.keys({})) {
          assert.ok(batch.length < 1000);
          break;
        }
      } finally {
        await snapshot.close();
      }
      const later = await store.snapshot(space);
      assert.deepEqual(await later.texts(['none', '\x000001']), ['é', 'new']);
      await later.close();
    });

    test('frozen rows show one moment of all spaces', async (context) => {
      if (store.freeze === undefined) {
        context.skip('the engine has tools of its own for backups');
        return;
      }
      const other = `${space}-other`;
      await put('a', 'before', { dueSeconds: 5 });
      await put('gone', 'before');
      await store.transact(other, [], () => ({
        puts: [{ key: 'b', value: Buffer.from('before') }],
        result: null,
      }));
      const frozen = await store.freeze();
      try {
        await put('a', 'after');
        await put('new', 'after');
        for (const [changed, key] of [
          [space, 'gone'],
          [other, 'b'],
        ] as const) {
          await store.transact(changed, [], () => ({ deletes: [key], result: null }));
        }
        await store.transact(`${space}-new`, [], () => ({
          puts: [{ key: 'c', value: Buffer.from('after') }],
          result: null,
        }));
        const rows: (string | number | undefined)[][] = [];
        for await (const name of frozen.spaces(space)) {
          for await (const batch of frozen.scan(name, { withDue: true })) {
            for (const { key, value, dueSeconds } of batch) rows.push([name, key, `${value}`, dueSeconds]);
          }
        }
        assert.deepEqual(rows, [
          [space, 'a', 'before', 5],
          [space, 'gone', 'before', undefined],
          [other, 'b', 'before', undefined],
        ]);
        assert.equal(`${await frozen.get(other, 'b')}`, 'before');
        assert.equal(await frozen.get(space, 'new'), undefined);
        assert.equal(await get('a'), 'after');
      } finally {
        await frozen.close();
      }
    });

    test('a write that was answered is read by the next get and the next scan', async () => {
      for (let n = 0; n < 20; n++) {
        await put('mine', String(n));
        assert.equal(await get('mine'), String(n));
        assert.equal((await scan())[0]?.value.toString(), String(n));
      }
    });

    test('rows that are text are scanned as text', async () => {
      const texts: Record<string, string> = {
        a: '{"x":"\u00e9\ud83d\ude00"}',
        b: '',
        c: 'c\0\u0001',
        d: 'due',
      };
      for (const [key, text] of Object.entries(texts)) {
        await put(key, text, key === 'd' ? { dueSeconds: maxDueSeconds } : {});
      }
      const read = async (range?: ScanRange) => {
        const rows: TextRow[] = [];
        for await (const batch of store.scanText(space, range)) rows.push(...batch);
        return rows.map(({ key, text }) => [key, text]);
      };
      assert.deepEqual(await read(), Object.entries(texts));
      assert.deepEqual(await read({ gt: 'a', lt: 'd', reverse: true, limit: 1 }), [['c', texts.c]]);
    });

    test('a scan gives due times only if they are asked for', async () => {
      await put('a', '1', { dueSeconds: 100 });
      await put('b', '2');
      const marks = async (range: ScanRange) => {
        const rows: ScannedRow[] = [];
        for await (const batch of store.scan(space, range)) rows.push(...batch);
        return rows.map((row) => row.dueSeconds);
      };
      assert.deepEqual(await marks({ withDue: true }), [100, undefined]);
      assert.deepEqual(await marks({}), [undefined, undefined]);
    });

    test('rows are due in the order of their times, up to a moment and a limit', async () => {
      await put('late', '', { dueSeconds: 300 });
      await put('early', '', { dueSeconds: 100 });
      await put('other', '', { dueSeconds: 200, space: 'drive/demo/d' });
      await put('never', '');
      await put('zero', '', { dueSeconds: 0 });
      const due = async (before: number, limit = 10) =>
        (await store.due(before, limit)).map((row) => `${row.space} ${row.key}`);
      assert.deepEqual(await due(99), [`${space} zero`]);
      assert.deepEqual(await due(200), [`${space} zero`, `${space} early`, 'drive/demo/d other']);
      assert.deepEqual(await due(1_000_000_000_000, 2), [`${space} zero`, `${space} early`]);
      assert.equal((await due(300)).length, 4);
      assert.equal(await get('late'), '');
    });

    test('the due time belongs to the row: a put without one and a delete remove it', async () => {
      await put('a', '1', { dueSeconds: 100 });
      await put('b', '1', { dueSeconds: 100 });
      await put('c', '1', { dueSeconds: 100 });
      await put('d', '1', { dueSeconds: 100 });
      await put('a', '2');
      await put('b', '2', { dueSeconds: 200 });
      await remove('c');
      await store.transact(space, ['d'], () => ({
        puts: [{ key: 'd', value: Buffer.from('2'), dueSeconds: 100 }],
        result: null,
      }));
      const due = async (before: number) => (await store.due(before, 10)).map((row) => row.key);
      assert.deepEqual(await due(150), ['d']);
      assert.deepEqual(await due(250), ['d', 'b']);
      await put('a', '3', { dueSeconds: 100 });
      assert.deepEqual((await due(150)).sort(), ['a', 'd']);
      assert.equal(await get('b'), '2');
      assert.deepEqual(await keys(), ['a', 'b', 'd']);
    });

    test('closing waits for calls in progress; what was answered is stored when the store is opened again, or gone if it was in memory', async () => {
      const writes = Array.from({ length: 100 }, (_, n) => put(String(n), 'x', { dueSeconds: n }));
      store = await Promise.all([fixture.reopen(), ...writes]).then(([reopened]) => reopened);
      const expected = fixture.isInMemory ? 0 : 100;
      assert.equal((await keys()).length, expected);
      assert.equal((await store.due(1000, 1000)).length, expected);
    });
  });
}
