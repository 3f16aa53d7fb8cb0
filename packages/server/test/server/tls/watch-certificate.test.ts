import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CertificatePair, CertificateSource } from '../../../src/server/tls/certificate-source.js';
import { watchCertificate } from '../../../src/server/tls/watch-certificate.js';

test('a new certificate is used, one that cannot be used is logged once, and the watch can be ended', async (context) => {
  context.mock.timers.enable({ apis: ['setInterval'] });
  const pair: CertificatePair = { cert: 'c', key: 'k' };
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
