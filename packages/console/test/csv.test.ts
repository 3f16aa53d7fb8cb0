import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { planFor } from '../src/bases/bulk/csv/csv-plan.js';
import { readRows, readSample } from '../src/bases/bulk/csv/csv-reader.js';
import { isNeutralised, neutralised } from '../src/bases/bulk/csv/formulas.js';
import { createTableWriter } from '../src/bases/bulk/csv/write-csv.js';
import { readRow } from '../src/bases/view/row.js';

const { signal } = new AbortController();
const form = { delimiter: ',', newline: '\n', encoding: 'utf-8' } as const;

async function rowsOf(blob: Blob, as = form): Promise<[number, readonly string[]][]> {
  const found: [number, readonly string[]][] = [];
  for await (const { rows } of readRows(blob, as, signal))
    for (const { line, cells } of rows) found.push([line, cells]);
  return found;
}

/** A blob whose stream has chunks of a few bytes. */
function inChunks(text: string, size: number): Blob {
  const bytes = new TextEncoder().encode(text);
  const stream = () =>
    new ReadableStream({
      start(controller) {
        for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size));
        controller.close();
      },
    });
  return Object.assign(new Blob([bytes]), { stream }) as Blob;
}

test('a table is read with the lines of its rows, wherever its bytes are cut', async () => {
  const text = 'a,b\n"é\nü",1\n\n"x ""y""",2\nlast,3';
  const expected = [
    [1, ['a', 'b']],
    [2, ['é\nü', '1']],
    [5, ['x "y"', '2']],
    [6, ['last', '3']],
  ];
  for (let size = 1; size < 20; size++) assert.deepEqual(await rowsOf(inChunks(text, size)), expected);
});

test('what is written as a table is read as the same texts', async () => {
  const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', ';', ' ', 'ü', "'", '=') });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 5 }), async (table) => {
      const rows = table.map(([a, b]) => readRow(JSON.stringify({ key: 'k', a, b })));
      const writer = await createTableWriter(['a', 'b'], { delimiter: ',', isForSpreadsheets: false });
      const read = await rowsOf(new Blob([writer.lines(rows)]), { ...form, newline: '\r\n' } as never);
      assert.deepEqual(
        read.map(([, cells]) => cells),
        table,
      );
    }),
  );
});

test('a text that could be run has an apostrophe before it, which is known again', () => {
  for (const text of ['=1', '+1', '-1', '@a', '\t=1', "'=1", "''=1"]) {
    assert.equal(neutralised(text), `'${text}`);
    assert.ok(isNeutralised(neutralised(text)));
  }
  for (const text of ['a=1', '', "it's", "'quoted'"]) {
    assert.equal(neutralised(text), text);
    assert.ok(!isNeutralised(text));
  }
});

test('the names, types and keys of a table are guessed from its start', async () => {
  const sample = await readSample(new Blob(['id|n|007|on\n"x"|1.0|007|true\ny|-2e3|1|\n']));
  assert.equal(sample.delimiter, '|');
  const plan = planFor(sample, true);
  assert.deepEqual(
    plan.columns.map(({ name, type }) => [name, type]),
    [
      ['id', 'string'],
      ['n', 'number'],
      ['007', 'string'],
      ['on', 'boolean'],
    ],
  );
  assert.equal(plan.keyColumn, 0);
  assert.equal(planFor(await readSample(new Blob(['1,2\n3,4\n']))).hasHeader, false);
});

test('what is between the cells of a small table of two columns is guessed', async () => {
  for (const [text, delimiter] of [
    ['key\tn\nx\t1\n', '\t'],
    ['key;n\r\nx;1\r\n', ';'],
    ['key|n\n\nx|1\n', '|'],
    ['key,n\nx,1\n', ','],
    ['name\tnote\na\thello, world\n', '\t'],
    ['a;b\n1,5;2,5\n2,5;3,5\n', ';'],
  ] as const) {
    const sample = await readSample(new Blob([text]));
    assert.equal(sample.delimiter, delimiter, text);
    assert.ok(
      sample.rows.every(({ length }) => length === 2),
      text,
    );
  }
});

test('a first line with the name of a key has names, also if it is the only one or two of them are the same', async () => {
  const planOf = async (text: string) => planFor(await readSample(new Blob([text])));
  const alone = await planOf('key,name\n');
  assert.deepEqual([alone.hasHeader, alone.keyColumn], [true, 0]);
  const twice = await planOf('Key,name,name\na,1,2\n');
  assert.deepEqual([twice.hasHeader, twice.keyColumn], [true, 0]);
  assert.deepEqual(
    twice.columns.map(({ name }) => name),
    ['Key', 'name', 'name 2'],
  );
  assert.equal((await planOf('a,a\nb,c\n')).hasHeader, false);
  assert.equal((await planOf('a,b\n')).hasHeader, false);
});
