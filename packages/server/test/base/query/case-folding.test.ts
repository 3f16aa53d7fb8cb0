import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { foldCase, foldCodePoint } from '../../../src/base/query/case-folding.js';

/** Unicode 15.1 gave them a simple folding: older versions of Node do not have it. */
const new151 = new Set([0x390, 0x3b0, 0x1fd3, 0x1fe3, 0xfb05, 0xfb06]);

function onlyPoint(text: string): number | undefined {
  return [...text].length === 1 ? text.codePointAt(0) : undefined;
}

function isAlike(a: number, b: number): boolean {
  return new RegExp(`^\\u{${a.toString(16)}}$`, 'iu').test(String.fromCodePoint(b));
}

describe('case folding', () => {
  test('the folding of every code point is that of regular expressions that ignore case', () => {
    let folded = 0;
    for (let point = 0; point <= 0x10ffff; point++) {
      if (point >= 0xd800 && point <= 0xdfff) continue;
      const text = String.fromCodePoint(point);
      const fold = foldCodePoint(point);
      const related = [fold, onlyPoint(text.toLowerCase()), onlyPoint(text.toUpperCase())];
      for (const other of related) {
        if (other === undefined || other === point || new151.has(point)) continue;
        folded++;
        const isSame = foldCodePoint(other) === fold;
        assert.equal(isSame, isAlike(point, other), `${point.toString(16)} and ${other.toString(16)}`);
      }
    }
    assert.ok(folded > 2500, `${folded} pairs`);
  });

  test('a text is folded code point by code point, and keeps its length', () => {
    assert.equal(foldCase('Straße ẞ ΣΑΣ İIı 𐐀𝐀 K'), 'straße ß σασ İiı 𐐨𝐀 k');
    assert.equal(foldCase(''), '');
    assert.equal(foldCase('ASCII\0"Z'), 'ascii\0"z');
  });

  test('a text of every code point is folded as each of them is', () => {
    for (let first = 0; first <= 0x10ffff; first += 0x1000) {
      const points = Array.from({ length: 0x1000 }, (_, n) => first + n).filter((n) => n >> 11 !== 0x1b);
      const expected = points.map((point) => String.fromCodePoint(foldCodePoint(point))).join('');
      assert.equal(foldCase(String.fromCodePoint(...points)), expected, first.toString(16));
    }
  });
});
