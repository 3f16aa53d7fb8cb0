import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { createRouter } from '../../src/http/router.js';
import { RequestError } from '../../src/request-error.js';

const handler = () => ({ status: 200, headers: [], body: '' });
const handlerForAll = () => ({ status: 200, headers: [], body: 'all' });
const router = createRouter({
  '/health': { GET: handler },
  '/v1/:project/:name/items': { PUT: handler, POST: handler },
  '/v1/:project/:name/items/:key': { GET: handler, DELETE: handler, PATCH: handler },
  '/v1/:project/:name/files': { GET: handler },
  '/v1/:project/:name/items?all': { DELETE: handlerForAll },
  '/v1/:project/bases': { GET: handler },
  '/v1/:project/:name/files/download': { GET: handler },
});

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
      .string({ unit: 'binary', minLength: 1, maxLength: 60 })
      .filter((text) => text.isWellFormed());
    fc.assert(
      fc.property(segment, segment, (name, key) => {
        const path = `/v1/demo/${encodeURIComponent(name)}/items/${encodeURIComponent(key)}`;
        const { params, route } = router.match('GET', path);
        assert.deepEqual({ ...params }, { project: 'demo', name, key });
        assert.equal(route.pattern, '/v1/:project/:name/items/:key');
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
    assert.equal(router.match('HEAD', '/health').route.pattern, '/health');
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
      assert.equal(router.match('DELETE', path, query).handler, handlerForAll, query);
      assert.equal(router.match('PUT', path, query).handler, handler, query);
    }
    assert.equal(refusal('GET', path, 'all=true').headers.Allow, 'PUT, POST, DELETE, OPTIONS');
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
