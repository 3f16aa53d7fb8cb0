import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createColumns, maxColumns } from '../src/bases/columns.js';
import { createRows, type LoadedPage, pageOf } from '../src/bases/listing/rows.js';
import { type Row, readRow } from '../src/bases/row.js';

const page = (...rows: readonly Row[]) => pageOf(rows, { start: undefined, end: undefined, isAdded: false });
const rowsOf = (...pages: readonly LoadedPage[]) => createRows(pages);
const names = (columns: readonly { readonly name: string }[]) => columns.map(({ name }) => name);

test('columns are the attributes of all rows, the key first and the expiry last, and keep their places', () => {
  const columnsOf = createColumns();
  const first = page(readRow('{"a":1,"none":null,"__expires":9,"key":"k"}'));
  const before = columnsOf(rowsOf(first));
  assert.deepEqual(names(before), ['key', 'a', 'none', '__expires']);
  const after = columnsOf(
    rowsOf(first, page(readRow('{"b":"a text that is longer","a":"text","none":[],"key":"l"}'))),
  );
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
  columnsOf(rowsOf(first));
  looked.length = 0;
  assert.deepEqual(names(columnsOf(rowsOf(first, page(spied('b'))))), ['key', 'a', 'b']);
  assert.ok(looked.includes('b') && !looked.includes('a'), looked.join());
  assert.deepEqual(names(columnsOf(rowsOf(page(spied('c'))))), ['key', 'a', 'b', 'c']);
});

test('columns are limited, and the expiry is always one', () => {
  const wide = Object.fromEntries(Array.from({ length: maxColumns + 50 }, (_, n) => [`a${n}`, n]));
  const columns = createColumns()(rowsOf(page(readRow(JSON.stringify({ key: 'k', ...wide, __expires: 9 })))));
  assert.ok(columns.length <= maxColumns + 1, String(columns.length));
  assert.equal(columns.at(-1)?.name, '__expires');
});
