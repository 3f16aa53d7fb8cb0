import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { parseQueryString } from '../../../src/http/requests/query-string.js';
import { RequestError } from '../../../src/request-error.js';
import { anyCharacter } from '../../support/any-character.js';

describe('query string', () => {
  test('a value that was encoded is decoded to itself', () => {
    const text = fc.string({ unit: anyCharacter }).filter((value) => value.isWellFormed());
    fc.assert(
      fc.property(text, text, (name, last) => {
        const query = parseQueryString(`name=${encodeURIComponent(name)}&last=${encodeURIComponent(last)}`);
        assert.equal(query.get('name'), name);
        assert.equal(query.get('last'), last);
      }),
    );
  });

  test('plus and %20 both mean a space, and %2B means a plus', () => {
    const query = parseQueryString('name=a+b%20c%2Bd');
    assert.equal(query.get('name'), 'a b c+d');
  });

  test('absent parameters are undefined, empty ones are empty, and of repeated ones the first counts', () => {
    const query = parseQueryString('a&b=&c=1&c=2&d=x=y');
    assert.equal(query.get('a'), '');
    assert.equal(query.get('b'), '');
    assert.equal(query.get('c'), '1');
    assert.equal(query.get('d'), 'x=y');
    assert.equal(query.get('e'), undefined);
    assert.deepEqual([query.all('c'), query.all('a'), query.all('e')], [['1', '2'], [''], []]);
    assert.equal(parseQueryString('').get('a'), undefined);
  });

  test('a parameter whose name is encoded is found by its name', () => {
    assert.equal(parseQueryString('n%61me=x').get('name'), 'x');
  });

  test('a percent sign that begins no escape stands for itself', () => {
    const query = parseQueryString('prefix=100%&last=%zz%41');
    assert.equal(query.get('prefix'), '100%');
    assert.equal(query.get('last'), '%zzA');
  });

  test('bytes that are not UTF-8 are refused with the name of the parameter', () => {
    const query = parseQueryString('ok=1&name=%ff');
    assert.equal(query.get('ok'), '1');
    assert.throws(
      () => query.get('name'),
      (cause) => cause instanceof RequestError && cause.status === 400 && cause.message.startsWith('name:'),
    );
  });
});
