import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { addressOfUrl } from '../../src/archive/api/address.js';
import type { RemoteFile } from '../../src/archive/api/project.js';
import { storeFile } from '../../src/archive/api/write.js';
import { createSemaphore } from '../../src/archive/semaphore.js';
import { exportProject, importProject } from '../../src/node.js';
import { temporaryFolder } from '../support/archive-project.js';
import { cutOff, fakeService, json, type Reaction } from '../support/fake-service.js';

const key = 'demo_s3cret';
const own = json(200, { access: 'full' });
const stats = { base: { items: 2, bytes: 30, exact: true }, drive: { files: 0, bytes: 0, exact: true } };
/** What an export of the base `b` asks before it reads the items. */
const oneBase = [own, json(200, { bases: ['b'] }), json(200, { drives: [] }), json(200, stats)];

/** A whole answer of status 200, whatever is missing in it. */
function said(text: string): Reaction {
  return (response) => response.writeHead(200).end(text);
}

function keys(...found: readonly string[]): Reaction {
  return json(200, { paging: { size: found.length }, items: found.map((one) => ({ key: one })) });
}

const noIndexes = json(200, { indexes: [] });

/** Exports the base `b` from a service that answers so. Gives the file, and the paths of the requests for items. */
async function exported(context: TestContext, ...reactions: Reaction[]) {
  const { url, seen } = await fakeService(context, ...oneBase, ...reactions, noIndexes);
  const to = join(await temporaryFolder(context), 'to');
  await exportProject(to, { url, key });
  const asked = seen.slice(oneBase.length, -1).map(({ method, path }) => `${method} ${path}`);
  return { text: await readFile(join(to, 'bases/b.json'), 'utf8'), asked };
}

/** Imports an item into the base `b` of a service that answers so. */
async function imported(context: TestContext, ...reactions: Reaction[]) {
  const { url, seen } = await fakeService(context, own, ...reactions);
  const path = join(await temporaryFolder(context), 'b.ndjson');
  await writeFile(path, '{"key":"a"}\n{"key":"b"}\n');
  const report = await importProject(path, { url, key, bases: ['b'] });
  return { report, bodies: seen.slice(1).map(({ text }) => text) };
}

describe('an answer that a proxy ends as if it were whole', () => {
  const whole = '[\n{"key":"a"},\n{"key":"b"}\n]\n';

  test('in the middle of an item is continued', async (context) => {
    const cut = said('{"key":"a"}\n{"key":"b"');
    const { text, asked } = await exported(context, keys('b'), cut, said('{"key":"b"}\n'));
    assert.equal(text, whole);
    assert.deepEqual(asked, [
      'POST /v1/demo/b/query',
      'GET /v1/demo/b/items?',
      'GET /v1/demo/b/items?last=a',
    ]);
  });

  test('at the end of an item is continued', async (context) => {
    const { text } = await exported(context, keys('b'), said('{"key":"a"}\n'), said('{"key":"b"}\n'));
    assert.equal(text, whole);
  });

  test('before the first item is asked for again, unless the items are gone', async (context) => {
    const again = await exported(
      context,
      ...[keys('b'), said(''), keys('a'), said('{"key":"a"}\n'), said(''), keys('b'), said('{"key":"b"}\n')],
    );
    assert.equal(again.text, whole);
    const gone = await exported(context, keys('z'), said('{"key":"a"}\n{"key":"b"}\n'), said(''), keys());
    assert.equal(gone.text, whole);
    const later = await exported(
      context,
      ...[keys('x'), said('{"key":"a"}\n{"key":"b"}\n'), said(''), keys('y')],
    );
    assert.equal(later.text, whole);
  });

  test('is not looked for after the last key: a whole answer takes one small request more', async (context) => {
    const { text, asked } = await exported(context, keys('b'), said('{"key":"a"}\n{"key":"b"}\n'));
    assert.equal(text, whole);
    assert.deepEqual(asked, ['POST /v1/demo/b/query', 'GET /v1/demo/b/items?']);
  });

  test('to an import, before its last line or in it, is no success: the items are sent again', async (context) => {
    for (const cut of ['', '{"line":1,"errors":["no"]}\n', '{"stored":2,"fai']) {
      const { report, bodies } = await imported(context, said(cut), said('{"stored":2,"failed":0}\n'));
      assert.deepEqual([report.items, report.setAside], [2, []], cut);
      assert.equal(bodies.length, 2);
      assert.equal(bodies[0], bodies[1]);
    }
  });

  test('to an import that is no NDJSON does not come from Basedrive', async (context) => {
    await assert.rejects(imported(context, said('<html>\n')), { code: 'unexpected' });
  });
});

describe('an answer that is no success', () => {
  test('a redirect ends a transfer and names the address', async (context) => {
    const moved: Reaction = (response) =>
      response.writeHead(308, { Location: 'https://new.example/v1/demo/b/items' }).end();
    const expected = { code: 'unexpected', status: 308, message: /redirects to https:\/\/new\.example/ };
    await assert.rejects(imported(context, moved), expected);
    await assert.rejects(exported(context, keys('b'), moved), expected);
  });

  test('has the messages and the codes of the service, and says which server it was', async (context) => {
    const codes = [{ code: 'missing_permission', path: 'access' }];
    const refusal = json(403, { errors: ['access: no'], codes });
    const shown = /^http:\/\/127\.0\.0\.1:\d+: access: no \(status 403\)$/;
    const expected = { code: 'forbidden', status: 403, errors: ['access: no'], codes, message: shown };
    await assert.rejects(exported(context, refusal), expected);
  });
});

describe('an End Upload that is answered with 404', () => {
  const file = { name: 'f', contentType: undefined, expires: undefined, onlyNew: false };
  const old = { name: 'f', size: 3, etag: '"old"' } as RemoteFile;
  const stored = (etag: string) => json(200, { names: ['f'], files: [{ name: 'f', size: 3, etag }] });
  const none = json(200, { names: [], files: [] });
  const lost = json(404, { errors: ['Not found'] });

  async function upload(context: TestContext, before: RemoteFile | undefined, ...end: Reaction[]) {
    const begun = json(202, { upload_id: 'u' });
    const { url } = await fakeService(context, begun, json(200, {}), ...end);
    const address = addressOfUrl(new URL(url), 'demo', key);
    async function* chunks() {
      yield Buffer.from('abc');
    }
    // It is announced as larger than one request, and has shrunk.
    const content = { size: 20 * 1024 * 1024, chunks: chunks(), inFlight: createSemaphore(1) };
    try {
      return await storeFile(address, 'd', { ...file, before }, content);
    } finally {
      address.close();
    }
  }

  test('is a success if an answer was lost before and the file is there and new', async (context) => {
    assert.equal(await upload(context, old, cutOff, lost, stored('"new"')), true);
    assert.equal(await upload(context, undefined, json(503, {}), lost, stored('"new"')), true);
  });

  test('is a failure if no answer was lost, or the file of this size was there before', async (context) => {
    await assert.rejects(upload(context, undefined, lost, stored('"new"')), { code: 'not_found' });
    await assert.rejects(upload(context, undefined, json(429, {}), lost, lost), { code: 'not_found' });
    const failure = { code: 'failed', message: 'The server lost the upload of f' };
    await assert.rejects(upload(context, old, cutOff, lost, stored('"old"')), failure);
    await assert.rejects(upload(context, undefined, cutOff, lost, none), failure);
  });
});
