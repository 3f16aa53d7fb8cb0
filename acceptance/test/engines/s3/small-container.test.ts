import assert from 'node:assert/strict';
import { test } from 'node:test';
import { whyNoControlGroup } from '../../../src/control-group.js';
import { startS3 } from '../../../src/services/s3.js';
import { protocols } from '../../support/service.js';
import { inContainer } from '../../support/small-container.js';

/** Each is so small that it is read as a whole. Together they have 100 MB, and what is asked for at once 300 MB. */
const files = 400;
const fileBytes = 250_000;
const downloads = 1200;

for (const [protocol, options] of Object.entries(protocols)) {
  test(`a server in 256 MiB, over an S3 store, answers 1,200 parallel downloads of small files over ${protocol}`, {
    skip: whyNoControlGroup() ?? false,
  }, async (context) => {
    const s3 = await startS3();
    context.after(() => s3.stop());
    await inContainer(
      // A busy machine takes more than 20 s for so many TLS handshakes.
      [...options, '--header-timeout', '3m', '--blobs', `s3://${await s3.createBucket()}`],
      async ({ send }) => {
        const body = Buffer.alloc(fileBytes, 'f');
        for (let n = 0; n < files; n++) {
          const path = `/pictures/files?name=f${n}`;
          assert.equal((await send('put', { method: 'POST', path, body })).status, 201);
        }
        const answers = await Promise.all(
          Array.from({ length: downloads }, (_, n) =>
            send('download', { method: 'GET', path: `/pictures/files/download?name=f${n % files}` }),
          ),
        );
        // On a busy machine the store may be late for some: 503.
        for (const { status } of answers) assert.ok([200, 429, 503].includes(Number(status)), String(status));
        assert.ok(answers.some(({ status }) => status === 200));
      },
      s3.environment(),
    );
  });
}
