import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { get } from 'node:http';
import { get as getSecurely } from 'node:https';
import { type Api, createApi } from '../api.js';
import { type Drive, freshDrive, openUpload } from '../names.js';
import { bytesOf } from '../random.js';
import { residentMiB } from '../resident-memory.js';
import type { Target } from '../target.js';

const mib = 1024 * 1024;

export interface HeavyTraffic {
  readonly target: Target & { readonly pid: number };
  /** The size of the file that is uploaded in parts, and of one part (5 to 10). */
  readonly uploadMiB: number;
  readonly partMiB: number;
  /** The number of downloads at the same time, and the size of the file that they read. */
  readonly downloads: number;
  readonly downloadMiB: number;
  readonly progress?: (uploadedMiB: number, serverMiB: number) => void;
}

export interface HeavyTrafficReport {
  /** The highest memory of the server, and its memory before the first request. */
  readonly peakMiB: number;
  readonly idleMiB: number;
  readonly downloaded: number;
}

const sampleIntervalMs = 50;
const uploadConcurrency = 4;

/** Runs a large upload in parts and many downloads at the same time, and compares the bytes of all of them. */
export async function runHeavyTraffic(traffic: HeavyTraffic): Promise<HeavyTrafficReport> {
  const { pid } = traffic.target;
  const api = createApi(traffic.target);
  const drive = freshDrive(api);
  const idleMiB = residentMiB(pid);
  let peakMiB = idleMiB;
  let uploadedMiB = 0;
  const watch = setInterval(() => {
    const now = residentMiB(pid);
    peakMiB = Math.max(peakMiB, now);
    traffic.progress?.(uploadedMiB, now);
  }, sampleIntervalMs);
  try {
    await upload(drive, 'shared', { ...traffic, uploadMiB: traffic.downloadMiB });
    const expected = hashOfParts(traffic.downloadMiB, traffic.partMiB);
    const [hashes] = await Promise.all([
      Promise.all(Array.from({ length: traffic.downloads }, () => download(api, drive, 'shared'))),
      upload(drive, 'large', traffic, () => {
        uploadedMiB += traffic.partMiB;
      }),
    ]);
    for (const hash of hashes) assert.equal(hash, expected, 'a download returned other bytes');
    const large = await download(api, drive, 'large');
    assert.equal(large, hashOfParts(traffic.uploadMiB, traffic.partMiB), 'the upload has other bytes');
    return { peakMiB, idleMiB, downloaded: hashes.length };
  } finally {
    clearInterval(watch);
    api.close();
  }
}

type Size = Pick<HeavyTraffic, 'uploadMiB' | 'partMiB'>;

async function upload(drive: Drive, name: string, size: Size, sent = () => {}): Promise<void> {
  const id = await openUpload(drive, name);
  const count = Math.ceil(size.uploadMiB / size.partMiB);
  let next = 1;
  const sendParts = async () => {
    for (let part = next++; part <= count; part = next++) {
      const reply = await drive.part(id, name, part, partBytes(part, size.partMiB));
      assert.equal(reply.status, 200, reply.text);
      sent();
    }
  };
  await Promise.all(Array.from({ length: uploadConcurrency }, sendParts));
  const reply = await drive.end(id, name);
  assert.equal(reply.status, 200, reply.text);
}

function partBytes(part: number, partMiB: number): Buffer {
  return bytesOf(part, partMiB * mib);
}

function hashOfParts(sizeMiB: number, partMiB: number): string {
  const hash = createHash('sha1');
  for (let part = 1; part <= Math.ceil(sizeMiB / partMiB); part++) hash.update(partBytes(part, partMiB));
  return hash.digest('hex');
}

/** Downloads over a connection of its own and returns the hash, without keeping the bytes. */
function download({ target }: Api, drive: Drive, name: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const { hostname: host, port, protocol } = target.url;
    const path = `${drive.root}/files/download?name=${name}`;
    const headers = { 'X-API-Key': target.key };
    const options = { agent: false, host, port, path, headers, ca: target.authority };
    const call = (protocol === 'https:' ? getSecurely : get)(options, (response) => {
      const hash = createHash('sha1');
      response.on('data', (chunk: Buffer) => hash.update(chunk));
      response.on('end', () => resolve(hash.digest('hex')));
      response.on('error', reject);
    });
    call.on('error', reject);
  });
}
