import assert from 'node:assert/strict';
import { test } from 'node:test';
import { folded, isSafeSegment } from 'basedrive-client/safe-segment';
import fc from 'fast-check';
import { createPaths } from '../src/drives/downloads/zip-paths.js';

test('the paths in a zip begin below the folder, and lead out of none', () => {
  const pathOf = createPaths('a/b/');
  const paths: readonly (readonly [string, string])[] = [
    ['a/b/c.txt', 'c.txt'],
    ['a/b/d/e.txt', 'd/e.txt'],
    ['a/b/../../etc/passwd', '_/_/etc/passwd'],
    ['a/b//root', '_/root'],
    ['a/b/./here', '_/here'],
    ['a/b/...', '_ (2)'],
    ['a/b/ends.', 'ends_'],
    ['a/b/aux.txt', '_aux.txt'],
    ['a/b/con/x', '_con/x'],
    ['a/b/what?', 'what_'],
    ['a/b/version;12', 'version_12'],
    ['a/b/a;1/b;', 'a_1/b_'],
    [`a/b/${'long'.repeat(60)}.txt`, `${'long'.repeat(60).slice(0, 46)}.txt`],
    ['a/b/c:\\windows\n', 'c__windows_'],
  ];
  for (const [name, path] of paths) assert.equal(pathOf(name), path);
});

test('names that would get the same path get different ones', () => {
  const pathOf = createPaths('');
  assert.deepEqual(['_/x.txt', '/x.txt', './x.txt', 'a:', 'a_', 'd.d/a:', 'd.d/a_'].map(pathOf), [
    '_/x.txt',
    '_/x (2).txt',
    '_/x (3).txt',
    'a_',
    'a_ (2)',
    'd.d/a_',
    'd.d/a_ (2)',
  ]);
});

test('names that are one where case is ignored get different paths', () => {
  const pathOf = createPaths('');
  const names = ['Trip/cat.png', 'trip/CAT.png', 'trip/dog.png', 'trip/Å', 'trip/A\u030a'];
  assert.deepEqual(names.map(pathOf), [
    'Trip/cat.png',
    'trip/CAT (2).png',
    'trip/dog.png',
    'trip/Å',
    'trip/A\u030a (2)',
  ]);
});

test('no path is a folder of another', () => {
  const pathOf = createPaths('');
  const names = ['A/b', 'a', 'c', 'c/d', 'c/d/e', 'c/f', 'v1.2', 'v1.2/x', 'C (2)'];
  assert.deepEqual(names.map(pathOf), [
    'A/b',
    'a (2)',
    'c',
    'c (2)/d',
    'c (2)/d (2)/e',
    'c (2)/f',
    'v1.2',
    'v1 (2).2/x',
    'C (2) (2)',
  ]);
});

/** Names of which many are unsafe, or one, on some file system. */
const names = fc.array(
  fc.array(fc.constantFrom('a', 'A', '..', '', 'con', 'x:y', 'x_y', 'é', 'e\u0301', 'a (2)'), {
    minLength: 1,
    maxLength: 4,
  }),
  { maxLength: 30 },
);

test('all names get paths that can be unpacked side by side', () => {
  fc.assert(
    fc.property(names, (lists) => {
      const all = [...new Set(lists.map((parts) => parts.join('/')))].sort();
      const pathOf = createPaths('');
      const paths = all.map(pathOf).map(folded);
      assert.equal(new Set(paths).size, paths.length);
      for (const path of paths) {
        assert.ok(path.split('/').every(isSafeSegment), path);
        assert.ok(!paths.some((other) => other.startsWith(`${path}/`)), path);
      }
    }),
  );
});
