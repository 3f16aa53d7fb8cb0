import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { get } from 'node:http';
import { type Api, createApi } from '../api.js';
import { type Drive, freshDrive, openUpload } from '../names.js';
import { bytesOf } from '../random.js';
import { residentMiB } from '../resident-memory.js';
import type { ServerProcess } from '../server-process.js';

const mib = 1024 * 1024;

export interface HeavyTraffic {
  readonly server: ServerProcess;
  readonly key: string;
  /** Of the file that comes up in parts, and of a part (5 to 10). */
  readonly uploadMiB: number;
  readonly partMiB: number;
  /** So many read a file of so much at the same time. */
  readonly downloads: number;
  readonly downloadMiB: number;
  readonly progress?: (uploadedMiB: number, serverMiB: number) => void;
}

export interface HeavyTrafficReport {
  /** The most memory that the server was seen to have in use, and before anything came. */
  readonly peakMiB: number;
  readonly idleMiB: number;
  readonly downloaded: number;
}

const watchEveryMs = 50;
const partsAtOnce = 4;

/** A large upload in parts and many downloads at the same time; the bytes of all are compared. */
export async function runHeavyTraffic(traffic: HeavyTraffic): Promise<HeavyTrafficReport> {
  const { server, key } = traffic;
  const project = key.slice(0, key.indexOf('_'));
  const api = createApi({ url: server.url, key, project, otherKey: '', close: async () => {} });
  const drive = freshDrive(api);
  const idleMiB = residentMiB(server.pid);
  let peakMiB = idleMiB;
  let uploadedMiB = 0;
  const watch = setInterval(() => {
    const now = residentMiB(server.pid);
    peakMiB = Math.max(peakMiB, now);
    traffic.progress?.(uploadedMiB, now);
  }, watchEveryMs);
  try {
    await upload(drive, 'shared', { ...traffic, uploadMiB: traffic.downloadMiB });
    const expected = hashOfParts(traffic.downloadMiB, traffic.partMiB);
    const [hashes] = await Promise.all([
      Promise.all(Array.from({ length: traffic.downloads }, () => download(api, drive, 'shared'))),
      upload(drive, 'large', traffic, () => {
        uploadedMiB += traffic.partMiB;
      }),
    ]);
    for (const hash of hashes) assert.equal(hash, expected, 'a download had other bytes');
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
  const lane = async () => {
    for (let part = next++; part <= count; part = next++) {
      const reply = await drive.part(id, name, part, partBytes(part, size.partMiB));
      assert.equal(reply.status, 200, reply.text);
      sent();
    }
  };
  await Promise.all(Array.from({ length: partsAtOnce }, lane));
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

/** Over a connection of its own, without keeping the bytes. */
function download({ target }: Api, drive: Drive, name: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const { hostname: host, port } = target.url;
    const path = `${drive.root}/files/download?name=${name}`;
    const call = get({ agent: false, host, port, path, headers: { 'X-API-Key': target.key } }, (response) => {
      const hash = createHash('sha1');
      response.on('data', (chunk: Buffer) => hash.update(chunk));
      response.on('end', () => resolve(hash.digest('hex')));
      response.on('error', reject);
    });
    call.on('error', reject);
  });
}
