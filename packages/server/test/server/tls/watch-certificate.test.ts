import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CertificatePair, CertificateSource } from '../../../src/server/tls/certificate-source.js';
import { issueServerCertificate, makeAuthority } from '../../../src/server/tls/issue.js';
import { watchCertificate } from '../../../src/server/tls/watch-certificate.js';

const dayMs = 86_400_000;

/** A certificate that is made at this time. */
async function madeAt(nowMs: number): Promise<CertificatePair> {
  const authority = await makeAuthority(nowMs);
  return await issueServerCertificate(authority, ['localhost'], nowMs);
}

test('a new certificate is used, one that cannot be used is logged once, and the watch can be ended', async (context) => {
  context.mock.timers.enable({ apis: ['setInterval'] });
  const pair = await madeAt(Date.now());
  const answers: (CertificatePair | Error | undefined)[] = [
    undefined,
    new Error('half'),
    new Error('half'),
    pair,
  ];
  let looks = 0;
  const source: CertificateSource = {
    pair,
    async refresh() {
      looks++;
      const answer = answers.shift();
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
  const used: CertificatePair[] = [];
  const lines: string[] = [];
  const stop = watchCertificate(source, (found) => used.push(found), {
    info: (_fields, message) => lines.push(message),
    error: (_fields, message) => lines.push(message),
  });
  const look = async () => {
    context.mock.timers.tick(1000);
    await new Promise((resolve) => setImmediate(resolve));
  };
  for (let i = 0; i < 5; i++) await look();
  assert.equal(looks, 5);
  assert.deepEqual(used, [pair]);
  assert.deepEqual(lines, ['certificate kept: the new one cannot be used', 'certificate replaced']);
  stop();
  await look();
  assert.equal(looks, 5);
});

test('a certificate that has expired, or will soon, is logged every day until it is replaced', async (context) => {
  context.mock.timers.enable({ apis: ['setInterval'] });
  const expired = await madeAt(Date.now() - 10_000 * dayMs);
  let next: CertificatePair | undefined;
  const source: CertificateSource = { pair: expired, refresh: async () => next };
  const lines: string[] = [];
  const stop = watchCertificate(source, () => {}, {
    info: (_fields, message) => lines.push(message),
    error: (_fields, message) => lines.push(message),
  });
  context.mock.timers.tick(2 * dayMs);
  assert.equal(lines.length, 2);
  assert.match(lines[0] ?? '', /^The certificate expired on .* GMT: clients refuse it\. Renew it/);
  next = await madeAt(Date.now());
  context.mock.timers.tick(1000);
  await new Promise((resolve) => setImmediate(resolve));
  next = undefined;
  context.mock.timers.tick(3 * dayMs);
  assert.deepEqual(lines.slice(2), ['certificate replaced']);
  stop();
});
