import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Finding } from '../../src/lib/finding.js';
import { clock } from '../../src/server/doctor/machine.js';
import { issueServerCertificate, makeAuthority } from '../../src/server/tls/issue.js';
import { doctor } from '../support/doctor.js';
import { run, startServer, temporaryFolder } from '../support/run-cli.js';
import { traceCollector } from '../support/trace-collector.js';

const main = fileURLToPath(new URL('../../src/main.js', import.meta.url));
const dayMs = 86_400_000;

const findings = (...options: string[]) => doctor(options);

test('before the first start, doctor measures the disk of the nearest folder and creates nothing', async (context) => {
  const folder = await temporaryFolder(context);
  const { code, of } = await findings('--data', join(folder, 'not/there'));
  assert.equal(code, 0);
  assert.match(of('rows').found, /the first start makes one/);
  assert.match(of('disk sync').found, /^a sync takes [\d.]+ ms/);
  assert.deepEqual(await readdir(folder), []);
});

test('rows that the first start did not come to make are no failure, and rows that are gone are one', async (context) => {
  const folder = await temporaryFolder(context);
  const server = await startServer(context, ['--data', folder]);
  assert.equal(await server.stop(), 0);
  await rm(join(folder, 'rows'), { recursive: true });
  await mkdir(join(folder, 'rows'));
  const lost = await findings('--data', folder);
  assert.equal(lost.code, 1);
  assert.match(lost.of('rows').found, /^The rows of the store in .* are missing: .* is empty/);

  await rm(join(folder, 'IDENTITY'));
  await rm(join(folder, 'blobs'), { recursive: true });
  const begun = await findings('--data', folder);
  assert.equal(begun.code, 0);
  assert.equal(begun.of('rows').found, 'no rows yet: the first start makes them');
});

test('beside a running server, doctor says that the server has the folder', async (context) => {
  const folder = await temporaryFolder(context);
  await startServer(context, ['--data', folder]);
  const { code, of } = await findings('--data', folder);
  assert.equal(code, 0);
  assert.match(of('rows').found, /in use by a running server/);
});

test('where no server runs, doctor does not say that one does', async (context) => {
  const { out } = await run(['doctor', '--data', await temporaryFolder(context), '--port', '0']);
  assert.match(out, /^A server would run (well )?here\.( See \d+ warnings?\.)?$/m);
});

test('a database that does not answer and a port that is taken are named; people get a line each', async (context) => {
  const folder = await temporaryFolder(context);
  const server = await startServer(context, ['--data', folder]);
  const { code, out } = await run([
    'doctor',
    ...['--items', 'postgres://nobody:secret@127.0.0.1:1/none', '--blobs', join(folder, 'bytes')],
    ...['--port', String(server.port)],
  ]);
  assert.equal(code, 1);
  assert.match(out, /^failed +rows +The rows in postgres:\/\/127\.0\.0\.1:1\/none cannot be opened/m);
  assert.match(out, /^ok +address +127\.0\.0\.1 port \d+ is in use/m);
  assert.match(out, /^ok +bytes +\S+ is not there yet/m);
  assert.match(out, /would not run well here: 1 problem\.\n$/);
  assert.doesNotMatch(out, /secret/);
});

test('an address of metrics and a file of keys with which no server starts are failures', async (context) => {
  const folder = await temporaryFolder(context);
  const keys = join(folder, 'keys');
  const given = ['--data', folder, '--key-file', keys, '--metrics'];
  // A documentation address, which no machine has.
  const bad = await findings(...given, '192.0.2.1:9464');
  assert.equal(bad.code, 1);
  assert.match(bad.of('metrics').found, /^192\.0\.2\.1 port 9464: /);
  assert.match(bad.of('key file').found, /keys cannot be read: ENOENT/);
  await writeFile(keys, 'no key\n', { mode: 0o644 });
  const same = await findings(...given, '127.0.0.1:9464', '--port', '9464');
  assert.equal(same.code, 1);
  assert.match(same.of('metrics').found, /is the address of the server itself$/);
  assert.match(same.of('key file').found, /keys, line 1: a key is/);
  await writeFile(keys, 'demo_s3cret\n');
  const open = await findings(...given, '127.0.0.1:0');
  assert.equal(open.code, 0);
  assert.match(open.of('metrics').found, /^127\.0\.0\.1 port 0 is free$/);
  assert.match(open.of('key file').found, /has 1 key, and every user can open it$/);
  await chmod(keys, 0o600);
  assert.equal((await findings(...given, '127.0.0.1:0')).of('key file').verdict, 'ok');
  await writeFile(keys, '# none yet\n');
  assert.equal((await findings(...given, '127.0.0.1:0')).of('key file').verdict, 'warning');
});

test('bytes of another store are a failure', async (context) => {
  const [one, other] = [await temporaryFolder(context), await temporaryFolder(context)];
  for (const folder of [one, other]) await (await startServer(context, ['--data', folder])).stop();
  assert.equal((await findings('--data', one)).code, 0);
  const { code, of } = await findings('--data', one, '--blobs', join(other, 'blobs'));
  assert.equal(code, 1);
  assert.equal(of('pair').verdict, 'failed');
});

test('a certificate that has expired is a failure, one that soon will is a warning', async (context) => {
  const folder = await temporaryFolder(context);
  const at = async (issuedMs: number) => {
    const pair = await issueServerCertificate(await makeAuthority(issuedMs), ['localhost'], issuedMs);
    await writeFile(join(folder, 'cert'), pair.cert);
    await writeFile(join(folder, 'key'), pair.key);
    return await findings(
      ...['--data', folder, '--tls-cert', join(folder, 'cert'), '--tls-key', join(folder, 'key')],
    );
  };
  const fresh = (await at(Date.now())).of('certificate');
  assert.equal(fresh.verdict, 'ok');
  const days = Number(/valid for (\d+) days/.exec(fresh.found)?.[1]);
  const soon = (await at(Date.now() - (days - 5) * dayMs)).of('certificate');
  assert.equal(soon.verdict, 'warning');
  const late = await at(Date.now() - (days + 5) * dayMs);
  assert.equal(late.of('certificate').verdict, 'failed');
  assert.equal(late.code, 1);
});

test('few open files, a folder that only memory holds, and a public address without TLS are warnings', {
  skip: existsSync('/dev/shm') ? false : 'there is no /dev/shm',
}, async () => {
  const command = `ulimit -n 500 && exec "${process.execPath}" "${main}" doctor --json --host 0.0.0.0 --port 0 --data /dev/shm/none`;
  const { stdout } = await promisify(execFile)('sh', ['-c', command]);
  const found = JSON.parse(stdout) as Finding[];
  const warned = found.filter(({ verdict }) => verdict === 'warning').map(({ subject }) => subject);
  for (const subject of ['open files', 'data folder', 'address']) assert.ok(warned.includes(subject), stdout);
});

test('a data folder whose place is taken by a file is a failure with its reason', async (context) => {
  const folder = await temporaryFolder(context);
  await mkdir(join(folder, 'sub'));
  await writeFile(join(folder, 'sub/file'), '');
  const { code, of } = await findings('--data', join(folder, 'sub/file'));
  assert.equal(code, 1);
  assert.equal(of('rows').verdict, 'failed');
});

test('with traces, doctor asks whether the collector answers, and names a wrong variable', async (context) => {
  const collector = await traceCollector(context);
  const folder = await temporaryFolder(context);
  const ask = async (variables: NodeJS.ProcessEnv) => {
    const options = ['--data', folder, '--port', '0', '--traces', 'on'];
    const { out } = await run(['doctor', '--json', ...options], variables);
    const { verdict, found } = (JSON.parse(out) as Finding[]).find((each) => each.subject === 'traces') ?? {};
    return [verdict, found];
  };
  assert.deepEqual(await ask({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }), [
    'ok',
    `${collector.url}/v1/traces answers`,
  ]);
  assert.deepEqual(await ask({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' }), [
    'warning',
    'http://127.0.0.1:1/v1/traces does not answer',
  ]);
  const [verdict, found] = await ask({ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' });
  assert.equal(verdict, 'failed');
  assert.match(String(found), /^OTEL_EXPORTER_OTLP_PROTOCOL: /);
});

test('a certificate that names no host, is not valid yet, or has another key is a failure', async (context) => {
  const folder = await temporaryFolder(context);
  const of = async (options: string) => {
    const [cert, key] = [join(folder, 'cert'), join(folder, 'key')];
    const openssl = `openssl req -x509 -newkey rsa:2048 -nodes -keyout "${key}" -out "${cert}" -subj /CN=a ${options}`;
    await promisify(execFile)('sh', ['-c', openssl]);
    return (await findings('--data', folder, '--tls-cert', cert, '--tls-key', key)).of('certificate');
  };
  const named = '-addext subjectAltName=DNS:a.example';
  assert.equal((await of(`-days 30 ${named}`)).verdict, 'ok');
  const nameless = await of('-days 30');
  assert.deepEqual([nameless.verdict, nameless.found], ['failed', 'it names no host']);
  const early = await issueServerCertificate(
    await makeAuthority(Date.now() + 5 * dayMs),
    ['a.example'],
    Date.now() + 5 * dayMs,
  );
  await writeFile(join(folder, 'cert'), early.cert);
  const flags = ['--tls-cert', join(folder, 'cert'), '--tls-key', join(folder, 'key')];
  assert.match((await findings('--data', folder, ...flags)).of('certificate').found, /is not the one of/);
  await writeFile(join(folder, 'key'), early.key);
  assert.match((await findings('--data', folder, ...flags)).of('certificate').found, /^valid only from /);
});

test('an address on which no server can listen is a failure', async (context) => {
  const folder = await temporaryFolder(context);
  // A documentation address (RFC 5737) is of no machine.
  const { code, of } = await findings('--data', folder, '--host', '192.0.2.1');
  assert.equal(code, 1);
  assert.equal(of('address').verdict, 'failed');
});

test('an S3 store that does not answer is a failure', async (context) => {
  const folder = await temporaryFolder(context);
  const { code, out } = await run(
    ['doctor', '--json', '--port', '0', '--data', folder, '--blobs', 's3://bucket/prefix'],
    {
      AWS_ACCESS_KEY_ID: 'access',
      AWS_SECRET_ACCESS_KEY: 'secret',
      BASEDRIVE_S3_ENDPOINT: 'http://127.0.0.1:1',
    },
  );
  assert.equal(code, 1);
  const bytes = (JSON.parse(out) as Finding[]).find(({ subject }) => subject === 'bytes');
  assert.equal(bytes?.verdict, 'failed');
  assert.match(bytes?.found ?? '', /s3:\/\/bucket\/prefix cannot be opened/);
});

test('the folder of the bytes is looked at too, wherever the rows are', async (context) => {
  const folder = await temporaryFolder(context);
  const { of } = await findings('--items', 'postgres://127.0.0.1:1/none', '--blobs', join(folder, 'bytes'));
  assert.equal(of('bytes folder').verdict, 'ok');
  assert.match(of('bytes disk sync').found, /^a sync takes [\d.]+ ms/);
});

test('a clock that is wrong, or that nothing keeps in step, is named', async (context) => {
  assert.equal((await clock(Date.UTC(1970, 0, 1))).verdict, 'failed');
  const folder = await temporaryFolder(context);
  for (const [answer, verdict] of [
    ['yes', 'ok'],
    ['no', 'warning'],
  ] as const) {
    await writeFile(join(folder, 'timedatectl'), `#!/bin/sh\necho ${answer}\n`, { mode: 0o755 });
    const { out } = await run(['doctor', '--json', '--port', '0', '--data', folder], {
      PATH: `${folder}:${process.env.PATH}`,
    });
    const found = (JSON.parse(out) as Finding[]).find(({ subject }) => subject === 'clock');
    assert.equal(found?.verdict, verdict);
  }
});

const whyNoMount =
  spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0
    ? false
    : 'no file system can be mounted here';
if (whyNoMount !== false && process.env.BASEDRIVE_REQUIRE_SMALL_DISK === '1') throw new Error(whyNoMount);

test('a full disk and a read-only one are failures with their reasons', {
  skip: whyNoMount,
}, async (context) => {
  const disk = await temporaryFolder(context);
  const script = `
    mount -t tmpfs -o size=64k tmpfs "$0" && head -c 1M /dev/zero > "$0/fill" 2>/dev/null
    "$1" "$2" doctor --json --port 0 --data "$0/data"
    mount -o remount,ro "$0" && "$1" "$2" doctor --json --port 0 --data "$0/data"; exit 0`;
  const { stdout } = await promisify(execFile)('unshare', [
    '-rm',
    ...['sh', '-c', script, disk, process.execPath, main],
  ]);
  const [full = [], readOnly = []] = stdout
    .trim()
    .split('\n')
    .map((text) => JSON.parse(text) as Finding[]);
  const failures = (found: Finding[]) => found.filter(({ verdict }) => verdict === 'failed');
  assert.deepEqual(
    failures(full).map(({ subject }) => subject),
    ['disk sync'],
  );
  assert.match(failures(full)[0]?.found ?? '', /takes no file: ENOSPC/);
  assert.deepEqual(
    failures(readOnly).map(({ found }) => found),
    [`${disk} is on a read-only file system`],
  );
});
