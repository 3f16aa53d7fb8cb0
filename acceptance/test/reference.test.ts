import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Document } from '../src/openapi/description.js';
import { useService } from './support/service.js';

const service = useService();

test('the reference is Markdown, needs no key, and has every operation of the OpenAPI document', async () => {
  const reference = await service.api.send('GET', '/reference.md', { key: null });
  assert.equal(reference.status, 200);
  assert.equal(reference.headers['content-type'], 'text/markdown; charset=utf-8');
  const { paths } = (await service.api.send('GET', '/openapi.json', { key: null })).json<Document>();
  for (const { operationId } of Object.values(paths).flatMap((methods) => Object.values(methods)))
    assert.ok(reference.text.includes(`(\`${operationId}\`)`), operationId);
});
