import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { Crc32c, Crc64Nvme } from '@aws-sdk/checksums/crc';
import { createRareCrc } from '../../src/s3/bodies/rare-crcs.js';

for (const [name, Oracle, check] of [
  ['CRC32C', Crc32c, 'e3069283'],
  ['CRC64NVME', Crc64Nvme, 'ae8b14860a799888'],
] as const) {
  test(`${name} is that of the package of AWS, however the bytes come`, async () => {
    const sum = createRareCrc(name);
    sum.update(Buffer.from('123456789'));
    assert.equal(sum.digest().toString('hex'), check);
    for (let pieces = 0; pieces < 6; pieces++) {
      for (let size = 0; size < 40; size++) {
        const [own, oracle] = [createRareCrc(name), new Oracle()];
        for (let piece = 0; piece < pieces; piece++) {
          const bytes = randomBytes(size + piece);
          own.update(bytes);
          oracle.update(bytes);
        }
        assert.deepEqual(own.digest(), Buffer.from(await oracle.digest()), `${pieces} pieces of ${size}`);
      }
    }
  });
}
