import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rightOf } from '../../src/access/rights.js';
import { operations } from '../../src/server/operations.js';

test('only health, the OpenAPI document, the reference, shared files and tickets need no key', () => {
  const open = operations.filter(({ access }) => access === 'no key').map(({ id }) => id);
  assert.deepEqual(open.sort(), [
    'abortLinkedUpload',
    'endLinkedUpload',
    'followByTicket',
    'getHealth',
    'getLinkedUpload',
    'getOpenApiDocument',
    'getReadiness',
    'getReference',
    'initializeLinkedUpload',
    'readLinkedFile',
    'readPublicFile',
    'storeLinkedFile',
    'uploadLinkedPart',
  ]);
});

test('what is for the operator alone is apart from /v1, and all of it is for the operator', () => {
  for (const { path, access } of operations)
    assert.equal(access === 'operator', path.startsWith('/admin/'), path);
});

test('the name that is compared with a key of limited names is that of the path', () => {
  const targetOf = (path: string) => rightOf({ path, access: 'read' }).target;
  assert.equal(targetOf('/v1/{project}/{base}/items/{key}'), 'base');
  assert.equal(targetOf('/v1/{project}/{drive}/files'), 'drive');
  assert.equal(targetOf('/v1/{project}/{name}/stats'), 'base or drive');
  assert.equal(targetOf('/v1/{project}/keys'), 'project');
});

test('a key with a prefix may only what says where its names are', () => {
  assert.equal(rightOf({ path: '/v1/{project}/{base}/items', access: 'read' }).names, 'whole');
  for (const { path, names } of operations) {
    if (names === 'path') assert.match(path, /\{key\}/);
    if (names === 'query') assert.match(path, /\{drive\}/);
  }
});
