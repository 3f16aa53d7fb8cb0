import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { AwsClient } from 'aws4fetch';
import { build } from 'esbuild';
import { Basedrive } from '../src/index.js';
import { freshName, key, launch } from '../test/support/service.js';
import { type Browser, openBrowser } from './open-browser.js';

/** What Uppy asks its application to sign. */
interface Asked {
  readonly method: string;
  readonly key: string;
  readonly uploadId?: string;
  readonly partNumber?: number;
}

type Page = typeof import('./uppy-page.js');

let browser: Browser;
let service: Awaited<ReturnType<typeof launch>>;
let site: { readonly url: string; close(): void };
const drive = freshName();
const asked: string[] = [];

before(async () => {
  service = await launch();
  const made = await fetch(new URL('/v1/demo/keys', service.url), {
    method: 'POST',
    headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
    body: JSON.stringify({ s3: true, access: 'write', drives: [drive] }),
  });
  assert.equal(made.status, 201);
  const { access_key_id, secret_access_key } = (await made.json()) as Record<string, string>;
  const signer = new AwsClient({
    accessKeyId: access_key_id ?? '',
    secretAccessKey: secret_access_key ?? '',
    service: 's3',
    region: 'us-east-1',
  });
  await signer.fetch(new URL(`/${drive}`, service.url), { method: 'PUT' });
  site = await serveApplication(signer);
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  site?.close();
  await service?.stop();
});

/** The page with Uppy, and the few lines of a backend that sign what it asks for. */
async function serveApplication(signer: AwsClient) {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('uppy-page.js', import.meta.url))],
    bundle: true,
    format: 'esm',
    platform: 'browser',
    write: false,
  });
  async function sign({ method, key: name, uploadId, partNumber }: Asked): Promise<string> {
    const url = new URL(`/${drive}/${name.split('/').map(encodeURIComponent).join('/')}`, service.url);
    if (uploadId !== undefined) url.searchParams.set('uploadId', uploadId);
    if (partNumber !== undefined) url.searchParams.set('partNumber', String(partNumber));
    if (method === 'POST' && uploadId === undefined) url.searchParams.set('uploads', '');
    url.searchParams.set('X-Amz-Expires', '300');
    asked.push(`${method} ${url.searchParams.has('uploadId') ? 'of an upload' : ''}`.trim());
    return (await signer.sign(url, { method, aws: { signQuery: true } })).url;
  }
  const server = createServer(async (request, response) => {
    if (request.url === '/sign') {
      let body = '';
      for await (const chunk of request) body += chunk;
      response.end(JSON.stringify({ url: await sign(JSON.parse(body) as Asked) }));
    } else if (request.url === '/bundle.js') {
      response.setHeader('Content-Type', 'text/javascript').end(outputFiles[0]?.contents);
    } else
      response.setHeader('Content-Type', 'text/html').end('<!doctype html><title>An application</title>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

for (const [size, inParts] of [
  [0, false],
  [300_000, false],
  [12_000_000, true],
] as const) {
  test(`Uppy stores ${size} bytes ${inParts ? 'in parts' : 'at once'} from a page of another origin`, async () => {
    const page = await browser.context.newPage();
    await page.goto(site.url);
    const name = `${randomBytes(4).toString('hex')} ü.png`;
    asked.length = 0;
    const result = await page.evaluate(
      async (sent) => {
        const bundle = '/bundle.js';
        const { upload } = (await import(bundle)) as Page;
        return await upload(sent);
      },
      { name, size, inParts },
    );
    assert.deepEqual(result, { successful: 1, failed: [], sent: size });
    const stored = await Basedrive(key, { url: service.url }).Drive(drive).get(`from uppy/${name}`);
    const expected = Buffer.from(new Uint8Array(size).map((_, n) => n % 251));
    assert.ok(expected.equals((await stored?.bytes()) ?? Buffer.from('none')));
    assert.equal(stored?.type, 'image/png');
    const parts = Math.ceil(size / (5 * 1024 ** 2));
    assert.deepEqual(
      asked,
      inParts ? ['POST', ...Array(parts).fill('PUT of an upload'), 'POST of an upload'] : ['PUT'],
    );
    await page.close();
  });
}
