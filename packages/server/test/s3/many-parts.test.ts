import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import { Crc64Nvme } from '@aws-sdk/checksums/crc';
import { runAtOnce } from '../../src/lib/concurrency/time-slices.js';
import { combineCrcs } from '../../src/s3/bodies/combine-crc.js';
import { compositeOf } from '../../src/s3/bodies/sums.js';
import { completedParts } from '../../src/s3/uploads/completed-parts.js';
import { readXml } from '../../src/s3/xml/read-xml.js';

const base64 = (sum: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(sum);
  return bytes.toString('base64');
};

test('the CRC of parts is that of their bytes together', () => {
  for (const sizes of [[0], [1], [3, 0, 70_000, 5], Array.from({ length: 250 }, (_, n) => n)]) {
    const bodies = sizes.map((size, n) => Buffer.alloc(size, `part ${n}`));
    const parts = bodies.map((body) => ({ value: base64(crc32(body)), sizeBytes: body.length }));
    assert.equal(runAtOnce(combineCrcs('CRC32', parts)), base64(crc32(Buffer.concat(bodies))));
  }
});

test('the CRC of 64 bits of parts is that of their bytes together', async () => {
  const crc64 = async (bytes: Buffer) => {
    const sum = new Crc64Nvme();
    sum.update(bytes);
    return Buffer.from(await sum.digest()).toString('base64');
  };
  const bodies = [70_001, 5, 0, 1024].map((size, n) => Buffer.alloc(size, `part ${n}`));
  const parts = await Promise.all(
    bodies.map(async (body) => ({ value: await crc64(body), sizeBytes: body.length })),
  );
  assert.equal(runAtOnce(combineCrcs('CRC64NVME', parts)), await crc64(Buffer.concat(bodies)));
});

test('the composite CRC-32C is that of all bytes', () => {
  // The check value of the algorithm, and bytes that take several steps.
  assert.equal(runAtOnce(compositeOf('CRC32C', Buffer.from('123456789'))), base64(0xe3069283));
  const parts = [Buffer.alloc(10_000, 'abc'), Buffer.alloc(3, 'd')].map((bytes) => ({
    value: runAtOnce(compositeOf('CRC32C', bytes)),
    sizeBytes: bytes.length,
  }));
  const whole = Buffer.concat([Buffer.alloc(10_000, 'abc'), Buffer.alloc(3, 'd')]);
  assert.equal(runAtOnce(combineCrcs('CRC32C', parts)), runAtOnce(compositeOf('CRC32C', whole)));
});

test('others are served while the checksums of 10,000 parts of different sizes are put together', () => {
  const long = Buffer.alloc(8, 'a').toString('base64');
  const parts = Array.from({ length: 10_000 }, (_, n) => ({ value: long, sizeBytes: 5 * 1024 ** 2 + n }));
  const works = [
    () => combineCrcs('CRC64NVME', parts),
    () => combineCrcs('CRC32C', parts),
    () => compositeOf('CRC32C', Buffer.alloc(40_000, 'checksum')),
  ];
  for (const work of works) {
    let pauses = 0;
    for (const _ of work()) pauses++;
    assert.ok(pauses >= 9, `${pauses} pauses`);
  }
});

const named = (numbers: readonly number[]) => {
  const part = (n: number) =>
    `<Part><PartNumber>${n}</PartNumber><ETag>&quot;${'AB'.repeat(16)}&quot;</ETag></Part>`;
  const root = 'CompleteMultipartUpload';
  return runAtOnce(readXml(Buffer.from(`<${root}>${numbers.map(part).join('')}</${root}>`), root));
};
const upTo = (last: number) => Array.from({ length: last }, (_, n) => n + 1);

test('others are served while the names of 10,000 parts are read', () => {
  const steps = completedParts(named(upTo(10_000)), 10_000);
  let pauses = 0;
  let step = steps.next();
  for (; !step.done; step = steps.next()) pauses++;
  assert.ok(pauses >= 9, `${pauses} pauses`);
  assert.equal(step.value.length, 10_000);
  assert.deepEqual(step.value.at(-1), { part: 10_000, md5: 'ab'.repeat(16), checksums: new Map() });
});

test('parts are 1 to 10,000 in ascending order, and one at least', () => {
  const read = (numbers: readonly number[]) => runAtOnce(completedParts(named(numbers), 10_000));
  assert.deepEqual(
    read([2, 10_000]).map(({ part }) => part),
    [2, 10_000],
  );
  assert.deepEqual(
    read([1, 2, 2, 3]).map(({ part }) => part),
    [1, 2, 3],
  );
  for (const numbers of [
    [2, 1],
    [1, 2, 1],
    [1, 3, 2],
  ]) {
    assert.throws(() => read(numbers), { code: 'InvalidPartOrder' });
  }
  for (const numbers of [[], [0], [10_001], [1.5], [...upTo(10_000), 10_000]]) {
    assert.throws(() => read(numbers), { code: 'MalformedXML' });
  }
});
