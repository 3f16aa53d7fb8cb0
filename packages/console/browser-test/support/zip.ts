import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';
import { fromBufferPromise } from 'yauzl';

/** The files of a zip with their bytes, by their paths. Checks every checksum. */
export async function filesOfZip(bytes: Buffer): Promise<Map<string, Buffer>> {
  const zip = await fromBufferPromise(bytes);
  const files = new Map<string, Buffer>();
  for await (const entry of zip.eachEntry()) {
    const content = await buffer(await zip.openReadStreamPromise(entry));
    assert.equal(crc32(content), entry.crc32, entry.fileName);
    files.set(entry.fileName, content);
  }
  return files;
}
