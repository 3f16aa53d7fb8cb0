import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { applyUpdate } from '../src/bases/bulk/update/apply.js';
import { type Change, changesProblem, writeChanges } from '../src/bases/bulk/update/changes.js';
import { addDecimals, divideDecimal } from '../src/bases/bulk/update/decimal.js';
import { readRow } from '../src/bases/view/row.js';

const change = (operation: Change['operation'], path: string, json = ''): Change => ({
  operation,
  path,
  json,
});
const item =
  '{"key":"k","n":0.1000,"tags":["a","b","c"],"home":{"10":1,"2":2,"city":"Rome"},"__proto__":{"x":-0}}';

function apply(...changes: readonly Change[]): string {
  const after = applyUpdate(readRow(item), changes);
  return 'problem' in after ? after.problem : after.row.text;
}

test('changes are done where their paths lead, and everything beside them stays the text that it was', () => {
  assert.equal(apply(change('set', 'home.city', '"Oslo"')), item.replace('Rome', 'Oslo'));
  assert.equal(apply(change('set', 'tags.1', '{"z":1.0}')), item.replace('"b"', '{"z":1.0}'));
  assert.equal(apply(change('set', '__proto__.x', '1e5')), item.replace('-0', '1e5'));
  assert.equal(apply(change('append', 'tags', '["d"]')), item.replace('"c"]', '"c","d"]'));
  assert.equal(apply(change('append', 'new', '[1]')), item.replace(/\}$/, ',"new":[1]}'));
  assert.equal(apply(change('increment', 'n', '0.2')), item.replace('0.1000', '0.3'));
  assert.equal(apply(change('delete', 'home.10')), item.replace('"10":1,', ''));
  assert.equal(apply(change('delete', 'home.none.deeper')), item);
});

test('the indexes of deletes refer to the list as it was, and deletes come last', () => {
  assert.equal(
    apply(change('delete', 'tags.0'), change('delete', 'tags.2'), change('set', 'tags.1', '1')),
    item.replace('["a","b","c"]', '[1]'),
  );
});

test('what the service would refuse is told', () => {
  assert.equal(apply(change('set', 'away.city', '1')), 'away.city: away does not exist');
  assert.equal(apply(change('set', 'tags.9', '1')), 'tags.9: the list has no element 9');
  assert.equal(apply(change('set', 'n.x', '1')), 'n.x: it is not in an object');
  assert.equal(apply(change('increment', 'home', '1')), 'home: the attribute is not a number');
  assert.equal(apply(change('append', 'n', '[1]')), 'n: the attribute is not a list');
});

test('changes are written as the members of a request, and wrong paths are told', () => {
  const changes = [change('set', 'a', '1.0'), change('delete', 'b'), change('set', 'c.d', '"x"')];
  assert.equal(writeChanges(changes), '"set":{"a":1.0,"c.d":"x"},"delete":["b"]');
  assert.equal(changesProblem(changes), undefined);
  assert.equal(changesProblem([change('set', '', '1')]), 'Name the attribute to change');
  assert.equal(changesProblem([change('set', 'key', '1')]), 'The key of an item cannot be changed');
  assert.equal(changesProblem([change('set', 'a..b', '1')]), 'a..b: a name between two dots is empty');
  assert.equal(changesProblem([change('set', 'a', '1'), change('delete', 'a.b')]), 'a is changed twice');
});

test('sums are exact', () => {
  assert.equal(addDecimals('0.1', '0.2'), '0.3');
  assert.equal(addDecimals('9007199254740993', '-1'), '9007199254740992');
  assert.equal(addDecimals('-0.05', '0.01'), '-0.04');
  assert.equal(addDecimals('1e3', '0.50'), '1000.5');
  const cents = fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n });
  const written = (n: bigint) =>
    `${n < 0n ? '-' : ''}${(n < 0n ? -n : n) / 100n}.${String((n < 0n ? -n : n) % 100n).padStart(2, '0')}`;
  fc.assert(
    fc.property(cents, cents, (a, b) => {
      assert.equal(addDecimals(written(a), written(b)), written(a + b).replace(/\.?0+$/, ''));
    }),
  );
});

test('an average has all digits of the sum, and six more', () => {
  assert.equal(divideDecimal('25', 4), '6.25');
  assert.equal(divideDecimal('18014398509481985', 2), '9007199254740992.5');
  assert.equal(divideDecimal('2469135.80', 2), '1234567.9');
  assert.equal(divideDecimal('20', 3), '6.666667');
  assert.equal(divideDecimal('-20', 3), '-6.666667');
  assert.equal(divideDecimal('0.000000003', 2), '0.0000000015');
  assert.equal(divideDecimal('-4', 2), '-2');
  assert.equal(divideDecimal('0', 7), '0');
});
