import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openApiDocument } from '../../src/openapi/document.js';
import { referencePage } from '../../src/openapi/reference-page.js';
import { operations } from '../../src/server/operations.js';

const document = openApiDocument(operations);
const page = referencePage(document);

test('the reference has every operation and every schema, and no link of it leads nowhere', () => {
  const ids = Object.values(document.paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId }) => operationId),
  );
  for (const id of ids) assert.ok(page.includes(`(\`${id}\`)`), id);
  const headings = new Set(Array.from(page.matchAll(/^##+ (.*)$/gm), ([, heading = '']) => heading));
  for (const name of Object.keys(document.components.schemas)) assert.ok(headings.has(name), name);
  const anchors = new Set(Array.from(headings, (heading) => heading.toLowerCase().replaceAll(' ', '-')));
  const links = Array.from(page.matchAll(/\]\(#([^)]+)\)/g), ([, anchor = '']) => anchor);
  assert.ok(links.length > 2 * ids.length);
  for (const anchor of links) assert.ok(anchors.has(anchor), anchor);
});
