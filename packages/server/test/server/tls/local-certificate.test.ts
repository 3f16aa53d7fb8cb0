import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { expiryWarning } from '../../../src/server/tls/expiry.js';
import { openLocalCertificate } from '../../../src/server/tls/local-certificate.js';

const dayMs = 86_400_000;

async function folderFor(context: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'basedrive-test-'));
  context.after(() => rm(folder, { recursive: true, maxRetries: 10 }));
  return folder;
}

test('a certificate is valid for at most 397 days, its authority for ten years', async (context) => {
  const folder = await folderFor(context);
  const { pair, caFile } = await openLocalCertificate(
    folder,
    ['base.test', '*.base.test', 'fe80::1'],
    Date.now,
  );
  const certificate = new X509Certificate(pair.cert);
  const authority = new X509Certificate(await readFile(caFile));
  const days = (of: X509Certificate) => (Date.parse(of.validTo) - Date.parse(of.validFrom)) / dayMs;
  assert.ok(days(certificate) <= 397);
  assert.equal(Math.round(days(authority)), 3650);
  assert.ok(authority.ca);
  assert.ok(!certificate.ca);
  assert.ok(certificate.verify(authority.publicKey));
  assert.ok(certificate.checkIssued(authority));
  for (const host of ['localhost', 'base.test', 'any.base.test'])
    assert.ok(certificate.checkHost(host), host);
  for (const address of ['127.0.0.1', '::1', 'fe80::1']) assert.ok(certificate.checkIP(address), address);
  assert.equal(certificate.checkHost('other.test'), undefined);
});

test('a certificate is renewed while the server runs, 30 days before it expires, by the same authority', async (context) => {
  const folder = await folderFor(context);
  let nowMs = Date.now();
  const source = await openLocalCertificate(folder, [], () => nowMs);
  const authority = await readFile(source.caFile, 'utf8');

  nowMs += 366 * dayMs;
  assert.equal(await source.refresh(), undefined);
  nowMs += dayMs;
  const renewed = await source.refresh();
  assert.ok(renewed);
  assert.ok(Date.parse(new X509Certificate(renewed.cert).validTo) > nowMs + 390 * dayMs);
  assert.equal(await readFile(source.caFile, 'utf8'), authority);
  assert.equal(await source.refresh(), undefined);

  const reopened = await openLocalCertificate(folder, [], () => nowMs);
  assert.deepEqual(reopened.pair, renewed);
});

test('a certificate of a clock that was ahead is replaced once the clock is right; its authority stays, and is warned of', async (context) => {
  const folder = await folderFor(context);
  let nowMs = Date.now();
  const source = await openLocalCertificate(folder, [], () => nowMs);
  const authority = await readFile(source.caFile, 'utf8');
  nowMs += 390 * dayMs;
  const ahead = await source.refresh();
  nowMs -= 380 * dayMs;
  const right = await source.refresh();
  assert.ok(ahead && right);
  assert.ok(Date.parse(new X509Certificate(right.cert).validFrom) < nowMs);
  assert.equal(expiryWarning(right, nowMs), undefined);

  // Before the authority was made, as by a machine that begins in 1970: another one would be of no use to clients.
  nowMs -= 100 * dayMs;
  assert.equal(await source.refresh(), undefined);
  const reopened = await openLocalCertificate(folder, [], () => nowMs);
  assert.deepEqual(reopened.pair, right);
  assert.match(expiryWarning(right, nowMs) ?? '', /is not valid before .*: .*[Ss]et the clock/);
  assert.equal(await readFile(source.caFile, 'utf8'), authority);
});

test('an authority that expires soon is replaced, and its certificates with it', async (context) => {
  const folder = await folderFor(context);
  let nowMs = Date.now();
  const source = await openLocalCertificate(folder, [], () => nowMs);
  const before = await readFile(source.caFile, 'utf8');
  nowMs += 3621 * dayMs;
  const renewed = await source.refresh();
  assert.ok(renewed);
  const authority = new X509Certificate(await readFile(source.caFile));
  assert.notEqual(authority.toString(), new X509Certificate(before).toString());
  assert.ok(new X509Certificate(renewed.cert).verify(authority.publicKey));
});

test('a server certificate does not outlive its authority', async (context) => {
  const folder = await folderFor(context);
  let nowMs = Date.now();
  const source = await openLocalCertificate(folder, [], () => nowMs);
  nowMs += 3500 * dayMs;
  const renewed = await source.refresh();
  const authority = new X509Certificate(await readFile(source.caFile));
  assert.equal(new X509Certificate(renewed!.cert).validTo, authority.validTo);
});

test('files that a crash left incomplete are made again', async (context) => {
  const folder = await folderFor(context);
  const first = await openLocalCertificate(folder, [], Date.now);
  const other = await openLocalCertificate(await folderFor(context), [], Date.now);
  const usable = async () => {
    const { pair } = await openLocalCertificate(folder, [], Date.now);
    assert.ok(
      new X509Certificate(pair.cert).verify(new X509Certificate(await readFile(first.caFile)).publicKey),
    );
    assert.deepEqual((await readdir(folder)).sort(), ['ca.crt', 'ca.key', 'server.crt', 'server.key']);
    return pair;
  };
  assert.deepEqual(await usable(), first.pair);
  for (const [name, text] of [
    ['server.key', other.pair.key],
    ['server.key', 'half'],
    ['server.crt', 'half'],
    ['server.crt', other.pair.cert],
  ] as const) {
    await writeFile(join(folder, name), text);
    assert.notDeepEqual(await usable(), first.pair);
  }
  await unlink(join(folder, 'server.key'));
  await usable();
});

test('a damaged authority is refused and not replaced, because clients trust it', async (context) => {
  const folder = await folderFor(context);
  const { caFile } = await openLocalCertificate(folder, [], Date.now);
  const whole = await readFile(caFile, 'utf8');
  await writeFile(join(folder, 'ca.key'), 'half');
  await assert.rejects(openLocalCertificate(folder, [], Date.now), /authority in .* is damaged/);
  await unlink(join(folder, 'ca.key'));
  await assert.rejects(openLocalCertificate(folder, [], Date.now), /authority in .* is damaged/);
  assert.equal(await readFile(caFile, 'utf8'), whole);
});

test('an authority whose certificate is lost is refused and not replaced; without both files, another is made', async (context) => {
  const folder = await folderFor(context);
  const { caFile } = await openLocalCertificate(folder, [], Date.now);
  const key = await readFile(join(folder, 'ca.key'), 'utf8');
  await unlink(caFile);
  await assert.rejects(openLocalCertificate(folder, [], Date.now), /authority in .* is damaged/);
  assert.equal(await readFile(join(folder, 'ca.key'), 'utf8'), key);
  await unlink(join(folder, 'ca.key'));
  await openLocalCertificate(folder, [], Date.now);
  assert.notEqual(await readFile(join(folder, 'ca.key'), 'utf8'), key);
});
