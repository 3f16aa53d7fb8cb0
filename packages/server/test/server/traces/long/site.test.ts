import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { issueServerCertificate, makeAuthority } from '../../../../src/server/tls/issue.js';
import { doctor } from '../../../support/doctor.js';
import { startServer, temporaryFolder } from '../../../support/run-cli.js';
import { type TraceCollector, traceCollector } from '../../../support/trace-collector.js';

const key = 'demo_s3cret';

/** Gets an item over HTTPS, whatever the certificate is; gives the body of the answer. */
function getOverHttps(port: number, headers: Record<string, string>): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { port, host: '127.0.0.1', rejectUnauthorized: false, agent: false };
    request({ ...options, path: '/v1/demo/b/items/k', headers: { 'X-API-Key': key, ...headers } }, (answer) =>
      text(answer).then(resolve, reject),
    )
      .on('error', reject)
      .end();
  });
}

async function start(context: TestContext, to: TraceCollector, options: string[], variables = {}) {
  return await startServer(context, ['--key', key, '--memory', '--traces', 'on', ...options], {
    OTEL_EXPORTER_OTLP_ENDPOINT: to.url,
    OTEL_BSP_SCHEDULE_DELAY: '50',
    ...variables,
  });
}

/** What the first span of a request says of where the service is. */
async function siteIn({ requests }: TraceCollector): Promise<object> {
  const [{ attributes } = assert.fail()] = await requests(1);
  const named = ['url.scheme', 'server.address', 'server.port'].filter((name) => name in attributes);
  return Object.fromEntries(named.map((name) => [name, attributes[name]]));
}

const forged = { 'X-Forwarded-Proto': 'http', 'X-Forwarded-Host': 'forged.example', Forwarded: 'proto=http' };

test('requests over TLS have the scheme https, whatever they say of themselves', async (context) => {
  const nowMs = Date.now();
  const folder = await temporaryFolder(context);
  const pair = await issueServerCertificate(await makeAuthority(nowMs), ['localhost'], nowMs);
  await writeFile(join(folder, 'cert'), pair.cert);
  await writeFile(join(folder, 'key'), pair.key);
  for (const options of [
    ['--https'],
    ['--tls-cert', join(folder, 'cert'), '--tls-key', join(folder, 'key')],
  ]) {
    const collector = await traceCollector(context);
    const { port } = await start(context, collector, options);
    assert.match(await getOverHttps(port, forged), /^\{"key":"k"\}$/);
    assert.deepEqual(await siteIn(collector), { 'url.scheme': 'https' });
    const [{ attributes, name, startNs, endNs } = assert.fail()] = await collector.requests(1);
    assert.equal(name, 'GET /v1/:project/:name/items/:key');
    assert.equal(attributes['http.response.status_code'], 404);
    assert.ok(endNs > startNs);
  }
});

test('behind a proxy, requests have the scheme, host and port of --public-url', async (context) => {
  for (const [publicUrl, site] of [
    ['https://data.example', { 'url.scheme': 'https', 'server.address': 'data.example' }],
    [
      'https://data.example:8443/below',
      { 'url.scheme': 'https', 'server.address': 'data.example', 'server.port': 8443 },
    ],
    ['http://[2001:db8::1]', { 'url.scheme': 'http', 'server.address': '2001:db8::1' }],
  ] as const) {
    const collector = await traceCollector(context);
    const { url } = await start(context, collector, ['--public-url', publicUrl]);
    await fetch(`${url}/v1/demo/b/items/k`, { headers: { 'X-API-Key': key, ...forged } });
    assert.deepEqual(await siteIn(collector), site);
  }
});

test('a collector with TLS gets the spans if its authority is given, and doctor says whether it is', async (context) => {
  const nowMs = Date.now();
  const folder = await temporaryFolder(context);
  const authority = await makeAuthority(nowMs);
  const ca = join(folder, 'ca.crt');
  await writeFile(ca, authority.cert);
  const pair = await issueServerCertificate(authority, ['127.0.0.1'], nowMs);
  const collector = await traceCollector(context, undefined, pair);
  const trusting = { OTEL_EXPORTER_OTLP_CERTIFICATE: ca };
  const { url } = await start(context, collector, [], trusting);
  await fetch(`${url}/health`);
  await collector.requests(1);

  const look = async (variables: NodeJS.ProcessEnv) => {
    const { of } = await doctor(['--data', folder, '--traces', 'on'], {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      ...variables,
    });
    const { verdict, found, advice } = of('traces');
    return `${verdict}: ${found}${advice === undefined ? '' : ` → ${advice}`}`;
  };
  const address = `${collector.url}/v1/traces`;
  assert.equal(await look(trusting), `ok: ${address} answers`);
  assert.equal(await look({ OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE: ca }), `ok: ${address} answers`);
  const refused = await look({});
  assert.ok(refused.startsWith(`warning: ${address} has a certificate that is refused: `), refused);
  assert.match(refused, /→ Give its authority in OTEL_EXPORTER_OTLP_CERTIFICATE/);
  assert.match(
    await look({ OTEL_EXPORTER_OTLP_CERTIFICATE: join(folder, 'none') }),
    /^warning: OTEL_EXPORTER_OTLP_CERTIFICATE: ENOENT.* → Correct the variable/,
  );
  const damaged = join(folder, 'damaged.key');
  await writeFile(damaged, 'not a key');
  assert.match(
    await look({ ...trusting, OTEL_EXPORTER_OTLP_CLIENT_KEY: damaged }),
    /^warning: a certificate or key for the collector cannot be read: ERR_OSSL\S+ → Correct the files/,
  );
});
