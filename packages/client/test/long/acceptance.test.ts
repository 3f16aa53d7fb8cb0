// Runs the acceptance tests of the service again, with their requests sent through this library.
import assert from 'node:assert/strict';
import { register } from 'node:module';
import { after } from 'node:test';

register('../support/acceptance/replace-names.js', import.meta.url);
const { counts } = await import('../support/acceptance/record.js');
const suites = [
  'items',
  'item-rules',
  'query',
  'query-paging',
  'update',
  'expiry',
  'files',
  'list-files',
  'delete-files',
  'ranges',
];
for (const suite of suites) await import(`../../../../../acceptance/dist/test/${suite}.test.js`);

after(() => {
  // The requests went through the library, and not past it.
  const few = [
    'put',
    'insert',
    'get',
    'delete',
    'update',
    'fetch',
    'items',
    'put file',
    'get file',
    'list',
    'delete files',
  ]
    .map((operation) => [operation, counts.get(operation) ?? 0] as const)
    .filter(([, count]) => count < 10);
  assert.deepEqual(few, [], 'operations that hardly went through the library');
});
