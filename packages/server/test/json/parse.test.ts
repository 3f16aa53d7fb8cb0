import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { JsonError, parseJson } from '../../src/json/parse.js';
import { scanValue } from '../../src/json/scan.js';
import { stringifyJson } from '../../src/json/stringify.js';
import { canonicalJson, mutated, respelled } from '../support/arbitrary-json.js';
import { propertyRuns } from '../support/property-runs.js';
import { parseDeep as parse } from '../support/read-bodies.js';

function errorOf(text: string | Buffer, maxDepth?: number): string {
  try {
    parse(text, maxDepth);
  } catch (cause) {
    assert.ok(cause instanceof JsonError);
    return cause.message;
  }
  assert.fail(`${text} was read`);
}

describe('exact JSON', () => {
  test('what is canonical comes back byte for byte, and scans', () => {
    fc.assert(
      fc.property(canonicalJson.value, (json) => {
        const bytes = Buffer.from(json);
        assert.equal(stringifyJson(parse(json)), json);
        assert.equal(scanValue(bytes, 0, 100), bytes.length);
      }),
      { numRuns: propertyRuns(2000) },
    );
  });

  test('white space and escapes do not change the value', () => {
    fc.assert(
      fc.property(canonicalJson.value, (json) => {
        assert.equal(stringifyJson(parse(respelled(json))), json);
        // It is JSON. What it is, V8 does not always know: nodejs/node#63785.
        assert.doesNotThrow(() => JSON.parse(respelled(json)));
      }),
      { numRuns: propertyRuns(1000) },
    );
  });

  test('reads what JSON.parse reads, and refuses what it refuses', () => {
    const bytes = mutated(canonicalJson.value.map((json) => Buffer.from(json)));
    fc.assert(
      fc.property(bytes, (body) => {
        let value: unknown;
        let isJson = true;
        try {
          value = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body));
        } catch {
          isJson = false;
        }
        try {
          const ours = stringifyJson(parse(body));
          assert.ok(isJson, 'not JSON, but it was read');
          assert.deepEqual(JSON.parse(ours), value);
        } catch (cause) {
          assert.ok(cause instanceof JsonError, String(cause));
          const isRule = /significant digits|64-bit float|lone surrogate|deep/.test(cause.message);
          assert.ok(!isJson || isRule, `JSON, but: ${cause.message}`);
        }
      }),
      { numRuns: propertyRuns(5000) },
    );
  });

  test('the scanner accepts only what comes back byte for byte', () => {
    const bytes = mutated(canonicalJson.value.map((json) => Buffer.from(json)));
    const numRuns = propertyRuns(5000);
    let accepted = 0;
    fc.assert(
      fc.property(bytes, (body) => {
        if (!new TextDecoder().decode(body).isWellFormed() || scanValue(body, 0, 100) !== body.length) return;
        if (Buffer.from(body.toString()).compare(body) !== 0) return;
        accepted++;
        assert.equal(stringifyJson(parse(body)), body.toString());
      }),
      { numRuns },
    );
    assert.ok(accepted > numRuns / 50, `only ${accepted} of ${numRuns} were accepted`);
  });

  test('numbers keep their text', () => {
    for (const text of [
      '-0',
      '1.0',
      '1e5',
      '1E+5',
      '9007199254740993',
      '0.1234567890123456',
      '9999999999999999',
    ]) {
      assert.equal(stringifyJson(parse(`[${text}]`)), `[${text}]`);
    }
  });

  test('names of prototypes and names like indexes are names like any other', () => {
    const json = '{"b":1,"2":2,"1":3,"__proto__":{"x":1},"constructor":{"prototype":4}}';
    assert.equal(stringifyJson(parse(json)), json);
    assert.equal(({} as { x?: number }).x, undefined);
  });

  test('many names of an object are scanned, and none of them may come twice', () => {
    for (const count of [23, 24, 25, 26, 1000]) {
      const members = Array.from({ length: count }, (_, n) => `"m${n}":${n}`);
      const scanned = (all: readonly string[]) => scanValue(Buffer.from(`{${all}}`), 0, 100);
      assert.equal(scanned(members), `{${members}}`.length);
      for (const again of [0, count - 1]) {
        assert.equal(scanned([...members, `"m${again}":0`]), -1);
        assert.equal(scanned([`"m${again}":0`, ...members]), -1);
      }
    }
  });

  test('the scanner takes no control character within a string, wherever it is', () => {
    for (let code = 0; code < 0x20; code++) {
      for (const before of ['', 'a', 'ab', 'abc', 'abcd', 'abcdefg']) {
        const json = `"${before}${String.fromCharCode(code)}abcdefgh"`;
        assert.equal(scanValue(Buffer.from(json), 0, 100), -1, JSON.stringify(json));
      }
    }
  });

  test('of a name that comes twice the last value counts, at the first place', () => {
    assert.equal(stringifyJson(parse('{"a":1,"b":2,"a":3}')), '{"a":3,"b":2}');
    assert.equal(scanValue(Buffer.from('{"a":1,"b":2,"a":3}'), 0, 100), -1);
    const many = `{${Array.from({ length: 60 }, (_, n) => `"n${n}":${n}`).join(',')}}`;
    assert.equal(scanValue(Buffer.from(many), 0, 100), many.length);
    assert.equal(scanValue(Buffer.from(many.replace('"n59"', '"n3"')), 0, 100), -1);
  });

  test('nesting is bounded, however deep the text', () => {
    assert.equal(stringifyJson(parse('['.repeat(100) + ']'.repeat(100))), '['.repeat(100) + ']'.repeat(100));
    assert.match(errorOf('['.repeat(101) + ']'.repeat(101)), /more than 100 deep/);
    assert.match(errorOf('['.repeat(100_000)), /more than 100 deep/);
    assert.match(errorOf('{"a":'.repeat(100_000)), /more than 100 deep/);
    assert.equal(scanValue(Buffer.from('['.repeat(100_000)), 0, 100), -1);
  });

  test('messages say where and what', () => {
    assert.match(errorOf(''), /malformed JSON at its end: expected a value/);
    assert.match(errorOf('{"a":1'), /at its end: expected ',' or '}'/);
    assert.match(errorOf('{"a" 1}'), /at character 5: expected ':'/);
    assert.match(errorOf('[1,]'), /at character 3: expected a value/);
    assert.match(errorOf('{"a":"x'), /closing quote/);
    assert.match(errorOf('"a\nb"'), /control character/);
    assert.match(errorOf('"\\x"'), /known escape/);
    assert.match(errorOf('1 2'), /expected the end/);
    assert.match(errorOf('{"items":[{"age":12345678901234567}]}'), /^items\[0\]\.age: a number of 17/);
    assert.match(errorOf('{"a":{"b c":"\\ud800"}}'), /^a\["b c"\]: a string with a lone surrogate/);
    assert.match(errorOf(Buffer.from([0x22, 0xff, 0x22])), /not valid UTF-8/);
    assert.match(errorOf('\ufeff{}'), /malformed JSON/);
  });

  test('a broken name is told by the object that has it, and not by the member before it', () => {
    const lone = 'an attribute name with a lone surrogate';
    assert.equal(errorOf('{"\\ud800":1}'), lone);
    assert.equal(errorOf('{"limit":5,"\\ud800":1}'), lone);
    assert.equal(errorOf('{"items":[{"\\ud800":1}]}'), `items[0]: ${lone}`);
    assert.equal(errorOf('{"items":[{"key":"a","\\ud800":1}]}'), `items[0]: ${lone}`);
    assert.equal(errorOf('{"items":[{"key":"a","o":{"p":1,"\\ud800":1}}]}'), `items[0].o: ${lone}`);
    assert.equal(errorOf('{"a":["\\ud800"]}'), 'a[0]: a string with a lone surrogate');
    const long = `{"items":[{"key":"a","${'x'.repeat(11)}":1}]}`;
    const most = { maxDepth: 9, maxValues: 9, maxStringCharacters: 10, numbers: 'any' } as const;
    assert.throws(() => parseJson(Buffer.from(long), most), {
      code: 'too_long',
      path: 'items[0]',
      message: 'items[0]: an attribute name of more than 10 characters',
    });
  });
});
