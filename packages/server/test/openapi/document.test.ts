import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openApiDocument } from '../../src/openapi/document.js';
import { operations } from '../../src/server/operations.js';
import { startTestServer } from '../../src/testing/index.js';

const document = openApiDocument(operations);

test('every parameter of a path is described, and no operation has the id of another', () => {
  const ids = new Set<string>();
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const { operationId, parameters } of Object.values(methods)) {
      assert.ok(!ids.has(operationId), operationId);
      ids.add(operationId);
      const inPath = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name);
      assert.deepEqual(
        inPath,
        Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => name),
        operationId,
      );
    }
  }
});

test('operations with the same method and path are one, with what both have', () => {
  const { delete: removal } = document.paths['/v1/{project}/{name}/files'] ?? {};
  assert.equal(removal?.summary, 'Delete files, or delete all files');
  assert.deepEqual(
    removal.parameters.map(({ name, required = false }) => [name, required]),
    [
      ['project', true],
      ['name', true],
      ['folder', false],
      ['all', false],
    ],
  );
  assert.equal(removal.requestBody?.required, false);
  const { put } = document.paths['/v1/{project}/{name}/items'] ?? {};
  assert.deepEqual(Object.keys(put?.requestBody?.content ?? {}), [
    'application/json',
    'application/x-ndjson',
  ]);
  assert.ok(put?.responses[200] && put.responses[207]);
});

test('every reference within the document leads somewhere', () => {
  const text = JSON.stringify(document);
  const references = new Set(
    Array.from(text.matchAll(/"\$ref":"#\/components\/(\w+)\/(\w+)"/g), ([, ...at]) => at.join('/')),
  );
  const parts = Object.entries(document.components).flatMap(([kind, named]) =>
    Object.keys(named).map((name) => `${kind}/${name}`),
  );
  for (const reference of references) assert.ok(parts.includes(reference), reference);
  // And everything there is referred to.
  for (const part of parts.filter((name) => !name.startsWith('securitySchemes')))
    assert.ok(references.has(part), part);
});

test('the document is served without a key', async (context) => {
  const server = await startTestServer();
  context.after(() => server.stop());
  const answer = await fetch(`${server.url}/openapi.json`);
  assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'application/json']);
  assert.deepEqual(await answer.json(), JSON.parse(JSON.stringify(document)));
});
