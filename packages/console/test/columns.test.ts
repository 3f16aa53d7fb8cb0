import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createColumns } from '../src/bases/columns.js';
import { readRow } from '../src/bases/row.js';

const names = (columns: readonly { readonly name: string }[]) => columns.map(({ name }) => name);

test('columns are the attributes of all rows, the key first and the expiry last, and keep their places', () => {
  const columnsOf = createColumns();
  const first = [readRow('{"a":1,"__expires":9,"key":"k"}')];
  const before = columnsOf(first);
  assert.deepEqual(names(before), ['key', 'a', '__expires']);
  const after = columnsOf([...first, readRow('{"b":"a text that is longer","a":"text","key":"l"}')]);
  assert.deepEqual(names(after), ['key', 'a', 'b', '__expires']);
  assert.equal(after[1], before[1]);
  assert.equal(after[1]?.kind, 'number');
});

test('of many rows, only those that were added are read again', () => {
  const columnsOf = createColumns();
  const rows = Array.from({ length: 6000 }, (_, n) => readRow(`{"key":"k${n}","a":${n}}`));
  columnsOf(rows);
  const more = [...rows, readRow('{"key":"last","new":1}')];
  assert.deepEqual(names(columnsOf(more)), ['key', 'a', 'new']);
});
