import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tabledOperations } from '../../src/access/rights.js';
import { openApiDocument } from '../../src/openapi/document.js';
import { startTestServer } from '../../src/testing/index.js';

/** The pages of the console are no API. */
const ofConsole = ['GET /', 'GET /assets/:file'];

/** A route of the router as a path of the document. */
function pathOf(pattern: string): string {
  const [path = ''] = pattern.split('?');
  return path
    .replace(':publicProject', ':project')
    .replace(/\*$/, ':path')
    .replaceAll(
      /:(\w+)/g,
      (_, name: string) => `{${name.replaceAll(/[A-Z]/g, (c) => `_${c.toLowerCase()}`)}}`,
    );
}

// The table of rights has exactly the routes of the router: its own test compares the two.
test('the document has every method of every route, and nothing else', () => {
  const routed = tabledOperations()
    .filter((operation) => !ofConsole.includes(operation))
    .map((operation) => {
      const [method = '', pattern = ''] = operation.split(' ');
      return `${method} ${pathOf(pattern)}`;
    });
  const described = Object.entries(openApiDocument().paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
  assert.deepEqual(described.sort(), [...new Set(routed)].sort());
});

test('every parameter of a path is described, and no operation has the id of another', () => {
  const ids = new Set<string>();
  for (const [path, operations] of Object.entries(openApiDocument().paths)) {
    for (const { operationId, parameters = [] } of Object.values(operations)) {
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

test('every reference within the document leads somewhere', () => {
  const document = openApiDocument();
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
  assert.deepEqual(await answer.json(), JSON.parse(JSON.stringify(openApiDocument())));
});
