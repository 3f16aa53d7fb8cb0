import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPaths } from '../src/drives/zip-paths.js';

test('the paths in a zip begin below the folder, and lead out of none', () => {
  const pathOf = createPaths('a/b/');
  const paths: readonly (readonly [string, string])[] = [
    ['a/b/c.txt', 'c.txt'],
    ['a/b/d/e.txt', 'd/e.txt'],
    ['a/b/../../etc/passwd', '_/_/etc/passwd'],
    ['a/b//root', '_/root'],
    ['a/b/./here', '_/here'],
    ['a/b/...', '...'],
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
