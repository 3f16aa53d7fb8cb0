import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type Entry, openPromise } from 'yauzl';
import { openZipTarget } from '../../src/archive/export/zip-target.js';
import { temporaryFolder } from '../support/archive-project.js';

/** More than an archive without ZIP64 can have. */
const files = 66_000;
/** The entry itself takes some 900 bytes until the archive is complete. */
const maxBytesPerFile = 1500;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

function heapBytes(): number {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

test('an archive of more files than ZIP can count without ZIP64 has all of them, and memory for each', async (context) => {
  const path = join(await temporaryFolder(context), 'project.zip');
  const target = await openZipTarget(path);
  const nameOf = (n: number) => `drives/photos/${n % 100}/${n}.jpg`;
  const file = { size: 5, content_type: 'image/jpeg', modified: 1, etag: '"1"' };
  const before = heapBytes();
  for (let n = 0; n < files; n++) {
    const bytes = Buffer.from(String(n).padStart(5, '0'));
    const read = async function* () {
      yield bytes;
    };
    await target.writeFile(nameOf(n), { file: { name: nameOf(n), ...file }, read });
  }
  const taken = (heapBytes() - before) / files;
  assert.ok(taken < maxBytesPerFile, `${Math.round(taken)} bytes for each file`);
  await target.finish({ kept: [], gaps: [] });

  const archive = await openPromise(path, { autoClose: false });
  const entries: Entry[] = [];
  for await (const entry of archive.eachEntry()) entries.push(entry);
  const names = entries.map(({ fileName }) => fileName);
  assert.deepEqual(
    names.slice(0, files),
    Array.from({ length: files }, (_, n) => nameOf(n)),
  );
  assert.equal(names.length, files + 1);
  for (const n of [0, 1, 65_534, 65_535, files - 1]) {
    const chunks: Buffer[] = [];
    const stream = await archive.openReadStreamPromise(entries[n] as Entry);
    for await (const chunk of stream) chunks.push(chunk as Buffer);
    assert.equal(Buffer.concat(chunks).toString(), String(n).padStart(5, '0'));
  }
  archive.close();
});
