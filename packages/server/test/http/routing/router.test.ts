import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Access } from '../../../src/access/rights.js';
import type { Answer, Call, Handler, Method } from '../../../src/http/requests/call.js';
import { linesBody } from '../../../src/http/routing/operation.js';
import { createRouter, type Match, type Route } from '../../../src/http/routing/router.js';
import { RequestError } from '../../../src/request-error.js';
import { anyCharacter } from '../../support/any-character.js';

const answering = (body: string) => () => ({ status: 200, headers: [], body });
const call = {} as Call;

const route = (text: string, access: Access, handle: Handler = answering('')): Route<unknown> => {
  const [method, path] = text.split(' ') as [Method, `/${string}`];
  return { method, path, access, handle };
};

const router = createRouter(
  [
    route('GET /health', 'no key'),
    route('PUT /v1/{project}/{base}/items', 'write', answering('put')),
    { ...route('PUT /v1/{project}/{base}/items', 'write', answering('lines')), request: linesBody({}) },
    route('POST /v1/{project}/{base}/items', 'write'),
    route('GET /v1/{project}/{base}/items/{key}', 'read'),
    route('DELETE /v1/{project}/{base}/items/{key}', 'write'),
    route('PATCH /v1/{project}/{base}/items/{key}', 'write'),
    route('GET /v1/{project}/{drive}/files', 'read'),
    route('DELETE /v1/{project}/{base}/items?all=true', 'full', answering('all')),
    route('GET /v1/{project}/bases', 'read'),
    route('GET /v1/{project}/{drive}/files/download', 'read'),
    route('DELETE /v1/{project}/{drive}/uploads/{upload_id}', 'write'),
    route('GET /public/{project}/{drive}/{path...}', 'no key'),
  ],
  undefined,
);

function bodyOf({ handle }: Match): unknown {
  return (handle(call) as Answer).body;
}

function refusal(method: string, path: string, query?: string): RequestError {
  try {
    router.match(method, path, query);
  } catch (cause) {
    assert.ok(cause instanceof RequestError);
    return cause;
  }
  assert.fail(`${method} ${path} was matched`);
}

describe('router', () => {
  test('every segment is percent-decoded once, whatever it contains', () => {
    const segment = fc
      .string({ unit: anyCharacter, minLength: 1, maxLength: 60 })
      .filter((text) => text.isWellFormed());
    fc.assert(
      fc.property(segment, segment, (name, key) => {
        const path = `/v1/demo/${encodeURIComponent(name)}/items/${encodeURIComponent(key)}`;
        const { params, pattern } = router.match('GET', path);
        assert.deepEqual({ ...params }, { project: 'demo', name, key });
        assert.equal(pattern, '/v1/:project/:name/items/:key');
      }),
      { numRuns: 2000 },
    );
  });

  test('a decoded segment is not decoded again', () => {
    for (const key of [
      '%',
      '%25',
      '%2F',
      '%252F',
      'a%2',
      '100%',
      '%%',
      '/',
      '//',
      '?',
      '#',
      ';',
      '+',
      ' ',
      '..',
      '.',
    ]) {
      const path = `/v1/demo/b/items/${encodeURIComponent(key)}`;
      assert.equal(router.match('GET', path).params.key, key);
    }
  });

  test('an encoded slash is part of its segment', () => {
    assert.equal(router.match('GET', '/v1/demo/a%2Fitems/items/k').params.name, 'a/items');
    assert.equal(refusal('GET', '/v1/demo/a/items%2Fk').status, 404);
  });

  test('a key that is too long reaches the rule for keys', () => {
    assert.equal(router.match('GET', `/v1/demo/b/items/${'k'.repeat(5000)}`).params.key?.length, 5000);
  });

  test('an unknown path is answered with 404, and a known one with another method with 405 and Allow', () => {
    for (const path of [
      '/',
      '/v1',
      '/v1/demo/b',
      '/v1/demo/b/item',
      '/v1/demo/b/items/k/x',
      '/v2/demo/b/items',
      '/HEALTH',
    ]) {
      assert.equal(refusal('GET', path).status, 404, path);
    }
    const refused = refusal('GET', '/v1/demo/b/items');
    assert.equal(refused.status, 405);
    assert.equal(refused.headers.Allow, 'PUT, POST, OPTIONS');
    assert.equal(refusal('DELETE', '/health').headers.Allow, 'GET, HEAD, OPTIONS');
    assert.equal(refusal('TRACE', '/health').status, 405);
  });

  test('HEAD exists wherever GET does', () => {
    assert.equal(router.match('HEAD', '/health').pattern, '/health');
    assert.equal(refusal('HEAD', '/v1/demo/b/items').status, 405);
  });

  test('a method may exist only with a parameter of the query string', () => {
    const path = '/v1/demo/b/items';
    for (const query of ['', 'all', 'all=', 'all=false', 'al=true', 'b=all&all=false', 'ALL=true']) {
      const refused = refusal('DELETE', path, query);
      assert.equal(refused.status, 405, query);
      assert.equal(refused.headers.Allow, 'PUT, POST, OPTIONS', query);
    }
    for (const query of ['all=true', 'all=1', 'x&%61ll=yes']) {
      assert.equal(bodyOf(router.match('DELETE', path, query)), 'all', query);
      assert.equal(bodyOf(router.match('PUT', path, query)), 'put', query);
    }
    assert.equal(refusal('GET', path, 'all=true').headers.Allow, 'PUT, POST, DELETE, OPTIONS');
  });

  test('another operation may get the requests with NDJSON', () => {
    const [path, type] = ['/v1/demo/b/items', 'Application/X-NDJSON; charset=utf-8'];
    assert.equal(bodyOf(router.match('PUT', path, '', { 'content-type': type })), 'lines');
    for (const headers of [{}, { 'content-type': 'application/json' }])
      assert.equal(bodyOf(router.match('PUT', path, '', headers)), 'put');
  });

  test('what needs a key has a project, with which the key is compared', () => {
    assert.throws(() => createRouter([route('GET /secret', 'read')], undefined), /\/secret has no project/);
  });

  test('the parameters of a path have the names that handlers and logs know', () => {
    const upload = router.match('DELETE', '/v1/demo/d/uploads/u1');
    assert.equal(upload.pattern, '/v1/:project/:name/uploads/:uploadId');
    assert.deepEqual({ ...upload.params }, { project: 'demo', name: 'd', uploadId: 'u1' });
    const file = router.match('GET', '/public/demo/site/a/b%2Fc.html');
    assert.equal(file.pattern, '/public/:project/:name/*');
    assert.deepEqual({ ...file.params }, { project: 'demo', name: 'site', '*': 'a/b/c.html' });
  });

  test('a path of the project has no name, and a base may have its word as a name', () => {
    assert.deepEqual({ ...router.match('GET', '/v1/demo/bases').params }, { project: 'demo' });
    assert.equal(router.match('PUT', '/v1/demo/bases/items').params.name, 'bases');
  });

  test('a malformed escape is answered with 400', () => {
    for (const key of ['%zz', '%', '%ff', '%c3%28']) {
      assert.equal(refusal('GET', `/v1/demo/b/items/${key}`).status, 400, key);
    }
  });
});
