import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readTabs, writeTabs } from '../src/bases/cells/table-text.js';
import { typedValue } from '../src/bases/cells/typed-value.js';
import { createStaged } from '../src/bases/edit/staged.js';
import { readRow } from '../src/bases/view/row.js';
import { fillArea } from '../src/grid/cell-range.js';

test('a table that was written as text is read as the same table', () => {
  const cell = fc.string({ unit: fc.constantFrom('a', '"', '\t', '\n', '\r', ',', ' ', '=') });
  const table = fc
    .integer({ min: 1, max: 4 })
    .chain((width) =>
      fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 4 }),
    );
  fc.assert(
    fc.property(table, (rows) => {
      // A single empty cell is no text at all, and an empty last line is the end of the one before it.
      fc.pre(rows.at(-1)?.join('') !== '');
      assert.deepEqual(readTabs(writeTabs(rows)), rows);
    }),
  );
});

test('a line break at the end of a text is no row, and a quote within a cell is itself', () => {
  assert.deepEqual(readTabs('a\tb\r\nc\td\r\n'), [['a', 'b'], ['c', 'd']]); // biome-ignore format: a table
  assert.deepEqual(readTabs('5" pipe\t"un"closed'), [['5" pipe', '"un"closed']]);
  assert.deepEqual(readTabs('"open\tend'), [['"open', 'end']]);
});

test('a pasted text keeps the type of its cell, then that of its column, then what it looks like', () => {
  assert.equal(typedValue('007', '"x"', 'number'), '"007"');
  assert.equal(typedValue('10', undefined, 'string'), '"10"');
  assert.equal(typedValue('1.50', 'null', 'number'), '1.50');
  assert.equal(typedValue('TRUE', 'false', 'string'), 'true');
  assert.equal(typedValue('none', '1', 'number'), '"none"');
  assert.equal(typedValue('[1]', undefined, 'null'), '[1]');
  assert.equal(typedValue('', '1', 'number'), undefined);
});

test('many values are staged as one step, and the values that were there unmark them', () => {
  const rows = Array.from({ length: 5000 }, (_, n) => readRow(`{"key":"k${n}","a":1,"b":"x"}`));
  const staged = createStaged();
  const change = (json: string | undefined) =>
    rows.flatMap((row) => ['a', 'b'].map((name) => ({ row, name, json })));
  assert.equal(staged.setAll(change('2')), 0);
  assert.equal(staged.count.value, 10_000);
  staged.undo();
  assert.equal(staged.count.value, 0);

  staged.setText(rows[0] ?? readRow('{}'), '{"key":');
  assert.equal(staged.setAll(change(undefined)), 1);
  assert.equal(staged.items.value.size, 5000);
  staged.setAll(rows.slice(1).map((row) => ({ row, name: 'a', json: '1' })));
  assert.equal(staged.get('k1', 'a'), undefined);
  assert.deepEqual(staged.get('k1', 'b'), { json: undefined });
});

test('the handle fills in the direction in which it was dragged farther', () => {
  const source = { top: 2, left: 2, bottom: 3, right: 3 };
  assert.deepEqual(fillArea(source, { row: 6, column: 4 }), { ...source, bottom: 6 });
  assert.deepEqual(fillArea(source, { row: 3, column: 0 }), { ...source, left: 0 });
  assert.deepEqual(fillArea(source, { row: 2, column: 3 }), source);
});
