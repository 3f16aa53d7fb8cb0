import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRows, type LoadedPage, pageOf } from '../src/bases/listing/rows.js';
import { createColumns, maxColumns } from '../src/bases/view/columns.js';
import { type Row, readRow } from '../src/bases/view/row.js';

const page = (...rows: readonly Row[]) => pageOf(rows, { start: undefined, end: undefined });
const sourceOf = (...pages: readonly LoadedPage[]) => ({ rows: createRows(pages), subject: 'all' });
const names = (columns: readonly { readonly name: string }[]) => columns.map(({ name }) => name);

test('columns are the attributes of all rows, the key first and the expiry last, and keep their places', () => {
  const columnsOf = createColumns();
  const first = page(readRow('{"a":1,"none":null,"__expires":9,"key":"k"}'));
  const before = columnsOf(sourceOf(first)).shown;
  assert.deepEqual(names(before), ['key', 'a', 'none', '__expires']);
  const after = columnsOf(
    sourceOf(first, page(readRow('{"b":"a text that is longer","a":"text","none":[],"key":"l"}'))),
  ).shown;
  assert.deepEqual(names(after), ['key', 'a', 'none', 'b', '__expires']);
  assert.equal(after[2]?.kind, 'list');
  assert.equal(after[1], before[1]);
  assert.equal(after[1]?.kind, 'number');
});

test('a page is looked at once, and again when one of its items has changed', () => {
  const columnsOf = createColumns();
  const looked: string[] = [];
  const spied = (key: string): Row => {
    const row = readRow(`{"key":"${key}","${key}":1}`);
    return {
      ...row,
      get attributes() {
        looked.push(key);
        return row.attributes;
      },
    };
  };
  const first = page(spied('a'));
  columnsOf(sourceOf(first));
  looked.length = 0;
  assert.deepEqual(names(columnsOf(sourceOf(first, page(spied('b')))).shown), ['key', 'a', 'b']);
  assert.ok(looked.includes('b') && !looked.includes('a'), looked.join());
  assert.deepEqual(names(columnsOf(sourceOf(page(spied('c')))).shown), ['key', 'a', 'b', 'c']);
});

test('columns are limited, and the expiry is always one', () => {
  const wide = Object.fromEntries(Array.from({ length: maxColumns + 50 }, (_, n) => [`a${n}`, n]));
  const source = sourceOf(page(readRow(JSON.stringify({ key: 'k', ...wide, __expires: 9 }))));
  const columns = createColumns()(source).shown;
  assert.ok(columns.length <= maxColumns + 1, String(columns.length));
  assert.equal(columns.at(-1)?.name, '__expires');
});

test('what at least half of the items have comes first, then the more frequent before the rarer', () => {
  const items = [
    '{"odd":true,"key":"a","rare":1,"name":"A"}',
    '{"key":"b","name":"B","age":null}',
    '{"key":"c","rare":1,"name":"C","age":"old"}',
    '{"key":"d","name":"D","age":1}',
    '{"key":"e","name":"E","age":2}',
  ];
  const { shown } = createColumns()(sourceOf(page(...items.map(readRow))));
  assert.deepEqual(names(shown), ['key', 'name', 'age', 'rare', 'odd']);
  assert.equal(shown[2]?.kind, 'number');
});

test('the items of another query have columns of their own, but what was met stays known', () => {
  const columnsOf = createColumns();
  const first = page(readRow('{"key":"a","one":1}'));
  columnsOf(sourceOf(first));
  const other = { ...sourceOf(page(readRow('{"key":"b","two":2}'))), subject: 'other' };
  assert.deepEqual(names(columnsOf(other).shown), ['key', 'two']);
  assert.deepEqual(names(columnsOf(other).known), ['key', 'two', 'one']);
  const none = { ...sourceOf(), subject: 'none' };
  assert.deepEqual(names(columnsOf(none).shown), ['key', 'two']);
  assert.deepEqual(names(columnsOf(sourceOf(first)).shown), ['key', 'one']);
});

test('the few longest keys do not decide how wide the keys are', () => {
  const short = Array.from({ length: 99 }, (_, n) => readRow(`{"key":"user-${n}"}`));
  const widthOfKeys = (...rows: readonly Row[]) =>
    createColumns()(sourceOf(page(...rows))).shown[0]?.width ?? 0;
  const long = readRow(`{"key":"${'k'.repeat(200)}"}`);
  assert.equal(widthOfKeys(long, ...short), widthOfKeys(...short));
  assert.ok(widthOfKeys(long) < 400);
});
