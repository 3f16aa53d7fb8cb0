import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { bucket } from './loads.js';
import { inParallel, sendS3 } from './send.js';
import type { S3Address } from './sign.js';
import type { RunningStore } from './stores.js';

const mib = 1024 ** 2;
const partBytes = 8 * mib;
const partsAtOnce = 4;

/** Uploads an object in parts of 8 MiB, four at once. Gives the seconds until it is complete. */
export async function uploadInParts(address: S3Address, name: string, bytes: number): Promise<number> {
  const path = `${bucket}/${name}`;
  const content = randomBytes(partBytes);
  const began = performance.now();
  const { text } = await sendS3(address, { method: 'POST', path, query: 'uploads=' });
  const [, id = ''] = /<UploadId>(.*?)<\/UploadId>/.exec(text) ?? [];
  const tags: string[] = [];
  await inParallel(Math.ceil(bytes / partBytes), partsAtOnce, async (n) => {
    const query = `partNumber=${n + 1}&uploadId=${encodeURIComponent(id)}`;
    tags[n] = (await sendS3(address, { method: 'PUT', path, query }, content)).etag;
  });
  const parts = tags.map((tag, n) => `<Part><PartNumber>${n + 1}</PartNumber><ETag>${tag}</ETag></Part>`);
  const body = Buffer.from(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`);
  await sendS3(address, { method: 'POST', path, query: `uploadId=${encodeURIComponent(id)}` }, body);
  return (performance.now() - began) / 1000;
}

/** Reads an object whole. Gives the seconds that it took. Throws if it has another size. */
export async function download(address: S3Address, name: string, bytes: number): Promise<number> {
  const began = performance.now();
  const answer = await sendS3(address, { method: 'GET', path: `${bucket}/${name}` });
  if (answer.bytes !== bytes) throw new Error(`${name} has ${answer.bytes} bytes, not ${bytes}`);
  return (performance.now() - began) / 1000;
}

const uploads = 64;

export interface UploadMemory {
  readonly seconds: number;
  readonly restMb: number;
  readonly highestMb: number;
}

/**
 * Puts 64 objects at once, each in one request of so many bytes, and deletes them. Gives the resident memory of the server
 * before, and the most that it was meanwhile.
 */
export async function uploadsAtOnce(store: RunningStore, bytes: number): Promise<UploadMemory> {
  const chunk = randomBytes(mib);
  const content = Array<Buffer>(bytes / mib).fill(chunk);
  const restMb = store.memory()?.residentMb ?? Number.NaN;
  let highestMb = restMb;
  const timer = setInterval(() => {
    highestMb = Math.max(highestMb, store.memory()?.residentMb ?? 0);
  }, 100);
  const path = (n: number) => `${bucket}/at-once-${n}`;
  const began = performance.now();
  try {
    await inParallel(uploads, uploads, (n) =>
      sendS3(store.address, { method: 'PUT', path: path(n) }, content),
    );
    await wait(200);
  } finally {
    clearInterval(timer);
    await inParallel(uploads, 8, (n) => sendS3(store.address, { method: 'DELETE', path: path(n) }));
  }
  return { seconds: (performance.now() - began) / 1000, restMb, highestMb };
}
