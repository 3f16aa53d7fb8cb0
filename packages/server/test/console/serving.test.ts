import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { type RunningServer, startServer } from '../support/run-cli.js';

interface Got {
  readonly status: number | undefined;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: Buffer;
}

/** `fetch` would decode the body and normalize the path. */
function get(server: RunningServer, path: string, headers: Record<string, string> = {}): Promise<Got> {
  return new Promise((resolve, reject) => {
    request({ port: server.port, host: '127.0.0.1', path, headers }, async (response) => {
      resolve({
        status: response.statusCode,
        headers: response.headers,
        body: await buffer(response),
      });
    })
      .once('error', reject)
      .end();
  });
}

const memory = ['--memory', '--key', 'demo_s3cret', '--log-level', 'error'];

/** The address of the page's script, as the page has it. */
const scriptOf = (page: Got) => /src="\.\/(assets\/[^"]+\.js)"/.exec(page.body.toString())?.[1] ?? '';

test('the page at / is never kept, and its files never change and come in the smallest encoding', async (context) => {
  const server = await startServer(context, memory);
  await server.said(/^The console is at http:\/\/127\.0\.0\.1:\d+\/$/m);

  const page = await get(server, '/');
  assert.equal(page.status, 200);
  assert.match(String(page.headers['content-type']), /^text\/html; charset=utf-8$/);
  assert.equal(page.headers['cache-control'], 'no-store');
  assert.equal(page.headers.etag, undefined);

  const path = `/${scriptOf(page)}`;
  const plain = await get(server, path);
  assert.equal(plain.headers['cache-control'], 'public, max-age=31536000, immutable');
  assert.match(String(plain.headers['content-type']), /^text\/javascript/);
  assert.equal(plain.headers.vary, 'Accept-Encoding');
  const known = await get(server, path, { 'If-None-Match': String(plain.headers.etag) });
  assert.deepEqual([known.status, known.body.length], [304, 0]);
  const brotli = await get(server, path, { 'Accept-Encoding': 'gzip, deflate, br' });
  assert.equal(brotli.headers['content-encoding'], 'br');
  assert.deepEqual(brotliDecompressSync(brotli.body), plain.body);
  const gzip = await get(server, path, { 'Accept-Encoding': 'br;q=0, gzip' });
  assert.equal(gzip.headers['content-encoding'], 'gzip');
  assert.deepEqual(gunzipSync(gzip.body), plain.body);
  assert.notEqual(brotli.headers.etag, gzip.headers.etag);
});

test('the licences of all that the console bundles come with it', async (context) => {
  const server = await startServer(context, memory);
  const path = '/assets/licenses.txt';
  const { status, headers, body } = await get(server, path);
  assert.equal(status, 200);
  assert.equal(headers['content-type'], 'text/plain; charset=utf-8');
  assert.equal(headers['cache-control'], 'no-cache');
  assert.equal((await get(server, path, { 'If-None-Match': String(headers.etag) })).status, 304);
  const named = [...body.toString().matchAll(/^## (\S+) - \S+ \([\w. -]+\)\n\n.*\S/gm)].map(
    ([, name]) => name,
  );
  // What its sources import, and something that only these import.
  for (const name of [...(await importedPackages()), 'style-mod']) assert.ok(named.includes(name), name);
});

/** The packages that the sources of the console import. */
async function importedPackages(): Promise<ReadonlySet<string>> {
  const folder = fileURLToPath(new URL('../../../../console/src', import.meta.url));
  const names = (await readdir(folder, { recursive: true })).filter((name) => /\.tsx?$/.test(name));
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  const found = texts
    .join('\n')
    .matchAll(
      /(?<!import type [^;]*)from '((?:@[\w-]+\/)?[a-z][\w-]*)|import\('((?:@[\w-]+\/)?[a-z][\w-]*)/g,
    );
  const packages = [...found].map(([, name, later]) => name ?? later ?? '');
  assert.ok(packages.includes('preact'));
  return new Set(packages.filter((name) => name !== 'basedrive-client'));
}

test('every file of the console has the policy that lets it run nothing but itself', async (context) => {
  const server = await startServer(context, memory);
  const page = await get(server, '/');
  const expected =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; media-src 'self' blob:; " +
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
    "require-trusted-types-for 'script'; trusted-types 'none'";
  const asset = await get(server, `/${scriptOf(page)}`);
  for (const { headers } of [page, asset]) {
    assert.equal(String(headers['content-security-policy']).split(', ')[0], expected);
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.equal(headers['referrer-policy'], 'no-referrer');
    assert.equal(headers['cross-origin-resource-policy'], 'same-origin');
  }
  assert.equal(asset.headers['content-security-policy'], expected);
  const text = page.body.toString();
  assert.doesNotMatch(text, /<style|style=|<script(?![^>]* src=)|https?:/);
});

test('each page has a nonce of its own, without which it loads no script and no style', async (context) => {
  const server = await startServer(context, memory);
  const nonces = await Promise.all([1, 2].map(async () => nonceOf(await get(server, '/'))));
  assert.notEqual(nonces[0], nonces[1]);
});

function nonceOf(page: Got): string {
  const second = String(page.headers['content-security-policy']).split(', ')[1] ?? '';
  const nonce = /^script-src 'nonce-([\w+/]{22}==)'; style-src 'nonce-\1'$/.exec(second)?.[1];
  assert.ok(nonce !== undefined, second);
  const loading = page.body.toString().match(/<(script|link rel="(stylesheet|modulepreload)")[^>]*>/g) ?? [];
  assert.ok(loading.length >= 2);
  for (const tag of loading) assert.ok(tag.includes(`nonce="${nonce}"`), tag);
  return nonce;
}

test('no path leads out of the folder of the console', async (context) => {
  const server = await startServer(context, memory);
  const paths = [
    '/assets/..%2Findex.html',
    '/assets/..%2F..%2Fpackage.json',
    '/assets/../../package.json',
    '/assets/%2e%2e/package.json',
    '/assets/..%5c..%5cpackage.json',
    '/assets/',
    '/assets/absent.js',
    '/index.html',
  ];
  for (const path of paths) assert.equal((await get(server, path)).status, 404, path);
});

test('--console off serves no console, and says nothing of one', async (context) => {
  const server = await startServer(context, [...memory, '--console', 'off']);
  assert.equal((await get(server, '/')).status, 404);
  assert.equal((await get(server, '/health')).status, 200);
  assert.doesNotMatch(server.err(), /console/);
});
