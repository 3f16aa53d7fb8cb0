import assert from 'node:assert/strict';
import { test } from 'node:test';
import { abandoned } from '../../src/request-error.js';
import { copied } from '../../src/s3/objects/copy-object.js';
import { patterned } from '../conformance/blob-store-suite.js';
import { drive, largeBytes, openDriveFixture } from '../support/drive-fixture.js';

test('a copy by S3 ends in the middle of an object when nobody waits for it or its key has ended', async () => {
  const fixture = await openDriveFixture();
  const { service } = fixture;
  try {
    await service.put(...drive, 'a', { source: patterned(4 * largeBytes, 1), contentType: 'text/plain' });
    const file = await service.open(...drive, 'a');
    assert.ok(file);
    let checks = 0;
    const check = () => {
      if (++checks === 2) throw abandoned();
    };
    const { source, sums } = await copied({ check }, file, { algorithm: undefined });
    const making = service.put(...drive, 'b', { source, sums, contentType: 'text/plain' });
    await assert.rejects(making, {
      problems: [{ code: 'abandoned', message: 'connection: closed before the answer' }],
    });
    file.release();
    await fixture.maintenance.runOnce();
    assert.deepEqual(await fixture.keys('name/'), ['name/a']);
    assert.equal(checks, 2);
  } finally {
    await fixture.close();
  }
});
