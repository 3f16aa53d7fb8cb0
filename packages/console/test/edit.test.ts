import assert from 'node:assert/strict';
import { test } from 'node:test';
import { draftProblem } from '../src/bases/edit/item-draft.js';
import { applyChanges, changeOperations, conditionFor } from '../src/bases/edit/item-text.js';
import { createStaged } from '../src/bases/edit/staged.js';
import { guessKind, readText, textOf } from '../src/bases/edit/text.js';
import { templateOf } from '../src/bases/new-item-text.js';
import { readRow } from '../src/bases/view/row.js';

const row = readRow('{"key":"k","price":0.1000,"order":{"10":1,"2":2},"a.dot":1e5,"old":null}');

test('a change leaves the text of everything beside it, and its place', () => {
  const changed = applyChanges(
    row,
    new Map([
      ['old', '"new"'],
      ['a.dot', undefined],
      ['added', '-0'],
    ]),
  );
  assert.equal(changed.text, '{"key":"k","price":0.1000,"order":{"10":1,"2":2},"old":"new","added":-0}');
});

test('a typed text that is no object, or has another key, is a mistake', () => {
  const problemOf = (text: string) => draftProblem('k', { changes: new Map(), text });
  assert.equal(problemOf(' {"key":"k"} '), undefined);
  for (const text of ['{', '["k"]', ' null', '{"key":"other"}', '{}'])
    assert.notEqual(problemOf(text), undefined, text);
});

test('a change of a cell is an update of one path, which the old value conditions', () => {
  assert.deepEqual(changeOperations(row, new Map([['price', '0.2000']])), [
    '{"update":{"key":"k","if":{"price?in":[0.1000]},"set":{"price":0.2000}}}',
  ]);
  assert.deepEqual(
    changeOperations(
      row,
      new Map([
        ['new', 'null'],
        ['old', undefined],
      ]),
    ),
    ['{"update":{"key":"k","if":{"new?exists":false,"old?in":[null]},"set":{"new":null},"delete":["old"]}}'],
  );
});

test('an attribute that no path can address is changed by putting the whole item, if it is still the same', () => {
  assert.deepEqual(changeOperations(row, new Map([['a.dot', '2']])), [
    `{"check":{"key":"k","if":${conditionFor(row, row.attributes.keys())}}}`,
    '{"put":{"key":"k","price":0.1000,"order":{"10":1,"2":2},"a.dot":2,"old":null}}',
  ]);
});

test('the old value unmarks a change, and steps can be taken back', () => {
  const staged = createStaged();
  staged.set(row, 'price', '1');
  staged.set(row, 'old', undefined);
  assert.equal(staged.count.value, 2);
  staged.set(row, 'price', '0.1000');
  assert.equal(staged.count.value, 1);
  assert.equal(staged.get('k', 'price'), undefined);
  staged.undo();
  assert.deepEqual(staged.get('k', 'price'), { json: '1' });
  staged.undo();
  staged.undo();
  assert.equal(staged.items.value.size, 0);
});

test('what is typed in one go is one step, and what was discarded is staged again', () => {
  const staged = createStaged();
  staged.set(row, 'price', '1');
  for (const json of ['2', '23', '234']) staged.set(row, 'old', json, { isTyping: true });
  staged.set(row, 'price', '3', { isTyping: true });
  staged.undo();
  assert.deepEqual(staged.get('k', 'price'), { json: '1' });
  assert.deepEqual(staged.get('k', 'old'), { json: '234' });
  staged.undo();
  assert.equal(staged.get('k', 'old'), undefined);
  const before = staged.items.value;
  staged.discard();
  assert.equal(staged.count.value, 0);
  staged.restore(before);
  assert.equal(staged.count.value, 1);
  assert.deepEqual(staged.get('k', 'price'), { json: '1' });
});

test('a new item begins with what most of the items have', () => {
  const items = ['{"key":"a","n":1,"rare":2,"s":"x"}', '{"key":"b","n":1,"s":"y"}', '{"key":"c","n":1}'].map(
    readRow,
  );
  const columns = ['key', 'n', 'rare', 's'].map((name) => ({
    name,
    width: 1,
    kind: name === 's' ? ('string' as const) : ('number' as const),
  }));
  assert.equal(templateOf(columns, { sample: () => items }), '{\n  "key": "",\n  "n": 0,\n  "s": ""\n}');
  assert.equal(templateOf([], { sample: () => [] }), '{\n  "key": ""\n}');
});

test('keeping a change over a conflict compares with what is stored now', () => {
  const staged = createStaged();
  staged.set(row, 'price', '1');
  staged.conflict('k', readRow('{"key":"k","price":5}'));
  staged.keepMine('k');
  const item = staged.items.value.get('k');
  assert.equal(item?.conflict, undefined);
  assert.deepEqual(item && changeOperations(item.row, item.changes), [
    '{"update":{"key":"k","if":{"price?in":[5]},"set":{"price":1}}}',
  ]);
});

test('an edited text keeps its digits, and a wrong one is refused with a reason', () => {
  assert.deepEqual(readText('number', ' 0.1000 '), { json: '0.1000' });
  assert.ok('problem' in readText('number', '01'));
  assert.ok('problem' in readText('boolean', 'yes'));
  assert.ok('problem' in readText('list', '{}'));
  assert.deepEqual(readText('object', '{"10": 1, "2": 2.50}'), { json: '{"10":1,"2":2.50}' });
  assert.deepEqual(readText('string', 'a "b"\n'), { json: '"a \\"b\\"\\n"' });
  assert.equal(textOf('"a \\"b\\""'), 'a "b"');
  assert.equal(textOf('1.50'), '1.50');
  assert.deepEqual(['12', 'true', 'null', '[1]', '[1', ' x'].map(guessKind), [
    'number',
    'boolean',
    'null',
    'list',
    'string',
    'string',
  ]);
});

test('what is staged while items are saved stays over what was saved, and is one step', () => {
  const staged = createStaged();
  const other = readRow('{"key":"other"}');
  const late = readRow('{"key":"late"}');
  staged.set(row, 'price', '1');
  staged.set(row, 'old', '"sent"');
  staged.set(other, 'n', '1');
  const sent = staged.items.value;
  const after = applyChanges(row, sent.get('k')?.changes ?? new Map());
  // One is set back in the meantime, one is changed again, one is new, and another item is changed.
  staged.set(row, 'price', '0.1000');
  staged.set(row, 'old', '"later"');
  staged.set(row, 'new', '1');
  staged.set(late, 'n', '1');
  staged.wereSaved(sent, new Map([['k', after]]));
  assert.deepEqual(staged.items.value.get('k'), {
    row: after,
    changes: new Map([
      ['price', '0.1000'],
      ['old', '"later"'],
      ['new', '1'],
    ]),
  });
  assert.deepEqual([...staged.items.value.keys()].sort(), ['k', 'late', 'other']);
  staged.undo();
  assert.deepEqual([...staged.items.value.keys()], ['other']);
});

test('what was saved is not staged again by a step back, and neither is what was discarded meanwhile', () => {
  const staged = createStaged();
  let takenBack = 0;
  staged.set(row, 'price', '1');
  const sent = staged.items.value;
  const saved = new Map([['k', applyChanges(row, sent.get('k')?.changes ?? new Map())]]);
  staged.discard();
  staged.wereSaved(sent, saved);
  assert.equal(staged.items.value.size, 0);
  staged.saved(() => ++takenBack > 0);
  staged.undo();
  assert.equal(staged.items.value.size, 0);
  assert.equal(takenBack, 1);
});

test('what is typed after a discard, and what is staged again, can be taken back', () => {
  const staged = createStaged();
  let isSaveTakenBack = false;
  staged.saved(() => {
    isSaveTakenBack = true;
    return true;
  });
  staged.set(row, 'old', '1', { isTyping: true });
  const discarded = staged.items.value;
  staged.discard();
  staged.set(row, 'old', '2', { isTyping: true });
  staged.undo();
  assert.equal(staged.items.value.size, 0);
  staged.restore(discarded);
  assert.deepEqual(staged.get('k', 'old'), { json: '1' });
  staged.undo();
  assert.equal(staged.items.value.size, 0);
  assert.equal(isSaveTakenBack, false);
});
