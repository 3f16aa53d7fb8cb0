import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { createPathMaker } from '../../src/archive/layout/paths.js';
import { folded, isSafeSegment } from '../../src/safe-segment.js';

const segment = fc.oneof(
  fc.constantFrom(
    'a',
    'A',
    'b',
    'ab',
    'é',
    'e\u0301',
    'É',
    'con',
    'NUL.txt',
    'com1',
    '..',
    '.',
    '',
    ' ',
    'a.',
    'a b',
  ),
  fc.constantFrom(
    'a:b',
    'x\\y',
    'x*',
    '?',
    'x;1',
    'ß',
    'SS',
    'ﬁ',
    'fi',
    '😀',
    '~',
    'a~ca978112ca',
    'x'.repeat(300),
  ),
  fc.string({ unit: 'grapheme', maxLength: 5 }),
);
const fileName = fc
  .array(segment, { minLength: 1, maxLength: 4 })
  .map((segments) => segments.join('/'))
  .filter((name) => name !== '' && !name.endsWith('/'));
const names = fc.uniqueArray(fileName, { maxLength: 40 });

describe('the paths of an export', () => {
  test('names that are paths on every file system stay as they are', () => {
    const paths = createPathMaker();
    assert.equal(paths.base('users'), 'bases/users.json');
    assert.equal(paths.base('Üser daten'), 'bases/Üser daten.json');
    assert.equal(paths.file('photos', '2024/July/IMG 01.JPG'), 'drives/photos/2024/July/IMG 01.JPG');
    assert.equal(paths.file('photos', '.well-known/x'), 'drives/photos/.well-known/x');
  });

  test('every path is safe, none equals another when case is ignored, and none is a folder of another', () => {
    fc.assert(
      fc.property(
        names,
        names,
        fc.uniqueArray(segment.filter((text) => text !== '')),
        (first, second, bases) => {
          const make = () => {
            const paths = createPathMaker();
            return [
              ...bases.map((name) => paths.base(name)),
              ...first.map((name) => paths.file('photos', name)),
              ...second.map((name) => paths.file('PHOTOS', name)),
              ...second.map((name) => paths.file('a/b', name)),
            ];
          };
          const paths = make();
          for (const path of paths) {
            const segments = path.split('/');
            for (const part of segments) assert.ok(isSafeSegment(part), JSON.stringify(path));
            assert.ok(Buffer.byteLength(path) <= 700);
          }
          const all = new Set(paths.map(folded));
          assert.equal(all.size, paths.length);
          for (const path of all) {
            for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) {
              assert.ok(!all.has(path.slice(0, at)), path);
            }
          }
          assert.deepEqual(make(), paths, 'the same names get the same paths');
        },
      ),
      { numRuns: 300 },
    );
  });
});
