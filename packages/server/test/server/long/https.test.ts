import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { connect } from 'node:tls';
import { promisify } from 'node:util';
import { issueServerCertificate, makeAuthority } from '../../../src/server/tls/issue.js';
import { type RunningServer, run, startServer, temporaryFolder } from '../../support/run-cli.js';

const exec = promisify(execFile);

function caFileOf(server: RunningServer): string {
  return /^export NODE_EXTRA_CA_CERTS=(.+)$/m.exec(server.err())?.[1] ?? '';
}

/** GET /health, with nothing trusted but the given authority. */
function healthOver(port: number, host: string, ca: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const get = request({ port, host, ca, path: '/health', agent: false }, (response) => {
      text(response).then(resolve, reject);
    });
    get.on('error', reject);
    get.end();
  });
}

function serialNumber(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().serialNumber);
      socket.destroy();
    });
    socket.on('error', reject);
  });
}

/** TLS 1.2, whose session is there with the handshake. */
async function handshake(port: number, before?: Buffer) {
  const options = { maxVersion: 'TLSv1.2', rejectUnauthorized: false } as const;
  const socket = connect({ port, host: '127.0.0.1', session: before, ...options });
  await once(socket, 'secureConnect');
  const found = { session: socket.getSession(), isReused: socket.isSessionReused() };
  socket.on('error', () => {}).destroy();
  return found;
}

async function has(command: string): Promise<boolean> {
  return await exec(command, ['--version']).then(
    () => true,
    () => false,
  );
}

test('with --https, the printed authority makes Node, curl and Python trust the server under all its names', async (context) => {
  const folder = await temporaryFolder(context);
  const server = await startServer(context, ['--data', folder, '--https', '--key', 'demo_s3cret']);
  await server.said(/^export DETA_BASE_HOST=localhost:\d+ DETA_DRIVE_HOST=localhost:\d+\n/m);
  const caFile = caFileOf(server);
  assert.ok(server.err().includes(`export SSL_CERT_FILE=${caFile} `), 'for Python and Go');
  const ca = await readFile(caFile, 'utf8');
  for (const host of ['localhost', '127.0.0.1']) {
    assert.equal(await healthOver(server.port, host, ca), '{"status":"ok"}');
  }
  const url = `https://localhost:${server.port}/health`;
  // A command says what makes it trust the server.
  const listing = ['hooks', 'list', '--url', new URL(url).origin, '--key', 'demo_s3cret'];
  const { code, err } = await run(listing);
  assert.equal(code, 2);
  assert.match(
    err,
    /certificate: if the authority .* NODE_EXTRA_CA_CERTS; .* tls\/ca\.crt in the data folder/,
  );

  const script = `fetch('${url}').then(async (answer) => console.log(await answer.text()))`;
  const node = await exec(process.execPath, ['-e', script], { env: { NODE_EXTRA_CA_CERTS: caFile } });
  assert.equal(node.stdout, '{"status":"ok"}\n');

  if (await has('curl')) {
    const { stdout } = await exec('curl', ['--silent', '--show-error', '--cacert', caFile, url]);
    assert.equal(stdout, '{"status":"ok"}');
  }
  if (await has('python3')) {
    // Newer versions of Python are strict by default.
    const program = [
      'import ssl, sys, urllib.request',
      'context = ssl.create_default_context(cafile=sys.argv[1])',
      'context.verify_flags |= ssl.VERIFY_X509_STRICT',
      'print(urllib.request.urlopen(sys.argv[2], context=context).read().decode())',
    ].join('\n');
    const { stdout } = await exec('python3', ['-c', program, caFile, url]);
    assert.equal(stdout, '{"status":"ok"}\n');
  }
  await assert.rejects(healthOver(server.port, 'localhost', (await makeAuthority(Date.now())).cert));
});

test('a restart keeps both certificates; a new --hostname changes the one of the server alone', async (context) => {
  const folder = await temporaryFolder(context);
  const options = ['--data', folder, '--https', '--key', 'demo_s3cret'];
  const read = (name: string) => readFile(join(folder, 'tls', name), 'utf8');

  const first = await startServer(context, options);
  const [ca, certificate] = [await read('ca.crt'), await read('server.crt')];
  assert.equal((await stat(join(folder, 'tls', 'ca.key'))).mode & 0o777, 0o600);
  assert.equal((await stat(join(folder, 'tls', 'server.key'))).mode & 0o777, 0o600);
  await first.stop();

  const second = await startServer(context, options);
  assert.equal(await read('ca.crt'), ca);
  assert.equal(await read('server.crt'), certificate);
  await second.stop();

  const third = await startServer(context, [...options, '--hostname', 'base.test,10.9.8.7']);
  assert.equal(await read('ca.crt'), ca);
  assert.notEqual(await read('server.crt'), certificate);
  await third.said('export DETA_BASE_HOST=base.test:');
  for (const servername of ['base.test', 'localhost']) {
    await new Promise<void>((resolve, reject) => {
      const socket = connect({ port: third.port, host: '127.0.0.1', servername, ca }, () => {
        socket.destroy();
        resolve();
      });
      socket.on('error', reject);
    });
  }
});

test('--https with --memory keeps its files only while it runs', async (context) => {
  const server = await startServer(context, ['--memory', '--https']);
  await server.said(/^export DETA_BASE_HOST/m);
  const caFile = caFileOf(server);
  assert.equal(await healthOver(server.port, 'localhost', await readFile(caFile, 'utf8')), '{"status":"ok"}');
  assert.equal(await server.stop(), 0);
  assert.ok(!existsSync(caFile));
});

test('a connection in a TLS handshake or without a request does not delay the stop', async (context) => {
  const server = await startServer(context, ['--memory', '--https', '--shutdown-grace', '1h']);
  const { connect: connectPlain } = await import('node:net');
  const plain = connectPlain(server.port, '127.0.0.1');
  plain.on('error', () => {});
  context.after(() => plain.destroy());
  await new Promise((resolve) => plain.once('connect', resolve));
  const secure = connect({ port: server.port, host: '127.0.0.1', rejectUnauthorized: false });
  secure.on('error', () => {});
  context.after(() => secure.destroy());
  await new Promise((resolve) => secure.once('secureConnect', resolve));
  assert.equal(await server.stop(), 0);
});

test('plain HTTP on the HTTPS port is answered with 400 that says what to use, and is logged', async (context) => {
  const server = await startServer(context, ['--memory', '--https', '--key', 'demo_s3cret']);
  const answer = await fetch(`http://127.0.0.1:${server.port}/health`);
  assert.equal(answer.status, 400);
  assert.equal(answer.headers.get('content-type'), 'application/json');
  assert.deepEqual(await answer.json(), {
    errors: ['This port speaks HTTPS: use https:// in the URL'],
    codes: [{ code: 'invalid_request' }],
  });
  assert.equal(
    await healthOver(server.port, 'localhost', await readFile(caFileOf(server), 'utf8')),
    '{"status":"ok"}',
  );
  assert.equal(await server.stop(), 0);
  assert.match(server.out(), /"msg":"plain HTTP on the HTTPS port"/);
});

test('--tls-cert and --tls-key are read again when they change; a half-written pair changes nothing', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'basedrive-test-'));
  context.after(() => rm(folder, { recursive: true, maxRetries: 10 }));
  const [certFile, keyFile] = [join(folder, 'tls.crt'), join(folder, 'tls.key')];
  const authority = await makeAuthority(Date.now());
  const issue = () => issueServerCertificate(authority, ['localhost', '127.0.0.1'], Date.now());
  const old = await issue();
  await writeFile(certFile, old.cert);
  await writeFile(keyFile, old.key);
  const server = await startServer(context, ['--memory', '--tls-cert', certFile, '--tls-key', keyFile]);
  assert.match(server.url, /^https:/);
  assert.equal(await healthOver(server.port, 'localhost', authority.cert), '{"status":"ok"}');
  const before = await serialNumber(server.port);

  const renewed = await issue();
  await writeFile(certFile, renewed.cert);
  await logged(server, 'certificate kept');
  assert.equal(await serialNumber(server.port), before);
  assert.equal(await healthOver(server.port, 'localhost', authority.cert), '{"status":"ok"}');

  await writeFile(keyFile, renewed.key);
  await logged(server, 'certificate replaced');
  assert.notEqual(await serialNumber(server.port), before);
  assert.equal(await healthOver(server.port, 'localhost', authority.cert), '{"status":"ok"}');
});

test('with --workers, a TLS session goes on at every front, and not when the certificate was replaced', async (context) => {
  const folder = await temporaryFolder(context);
  const [certFile, keyFile] = [join(folder, 'tls.crt'), join(folder, 'tls.key')];
  const authority = await makeAuthority(Date.now());
  const store = async () => {
    const { cert, key } = await issueServerCertificate(authority, ['localhost'], Date.now());
    await writeFile(certFile, cert);
    await writeFile(keyFile, key);
  };
  await store();
  const options = ['--memory', '--tls-cert', certFile, '--tls-key', keyFile, '--workers', '2'];
  const server = await startServer(context, options);
  const { session } = await handshake(server.port);
  const reused = async () => (await handshake(server.port, session)).isReused;
  for (let n = 0; n < 5; n++) assert.equal(await reused(), true);
  await store();
  await logged(server, 'certificate replaced');
  // The fronts are told of it.
  for (let n = 0; n < 300 && (await reused()); n++) await wait(10);
  for (let n = 0; n < 5; n++) assert.equal(await reused(), false);
});

test('a private key that does not match the certificate ends with one line and exit code 2', async (context) => {
  const folder = await temporaryFolder(context);
  const authority = await makeAuthority(Date.now());
  await writeFile(join(folder, 'a.crt'), authority.cert);
  await writeFile(join(folder, 'b.key'), (await makeAuthority(Date.now())).key);
  await writeFile(join(folder, 'c.key'), 'no key');
  for (const keyFile of ['b.key', 'c.key', 'a.crt']) {
    const files = ['--tls-cert', join(folder, 'a.crt'), '--tls-key', join(folder, keyFile)];
    const { code, err } = await run(['--memory', '--port', '0', ...files]);
    assert.equal(code, 2);
    assert.match(err, /^basedrive: [^\n]+\n$/);
    assert.match(err, /private key/);
  }
});

async function logged(server: RunningServer, words: string): Promise<void> {
  while (!server.out().includes(words)) {
    await new Promise((resolve) => server.child.stdout!.once('data', resolve));
  }
}
