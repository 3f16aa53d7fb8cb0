import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createApi } from '../api.js';
import { startServer } from '../server-process.js';
import type { Target } from '../target.js';
import { must } from './requests/hostile-request.js';
import { sendSigned } from './requests/signed.js';

/** An open upload of an S3 client whose parts have 5 MiB each, and no bytes. */
export interface StoredUpload {
  readonly bucket: string;
  readonly uploadId: string;
  readonly count: number;
}

/** What is known of each part: checksums that are put together, as current SDKs have them by default. */
export const storedPart = {
  sizeBytes: 5 * 1024 ** 2,
  md5: 'ab'.repeat(16),
  checksum: { algorithm: 'CRC64NVME', value: 'q83vASNFZ4k=' },
} as const;

const program = fileURLToPath(
  new URL('../../../../packages/server/dist/test/support/store-parts.js', import.meta.url),
);

/** Where the rows of a server are: with these flags, in its data folder or in a PostgreSQL. */
export interface StoredRows {
  readonly flags: readonly string[];
  /** The data folder, or the address of the PostgreSQL. */
  readonly place: string;
}

/** Makes open uploads with so many parts each, in rows that no server uses at the time. */
export async function storeUploads(
  { flags, place }: StoredRows,
  { key, project }: Pick<Target, 'key' | 'project'>,
  counts: readonly number[],
): Promise<readonly StoredUpload[]> {
  const server = await startServer(flags);
  const uploads: StoredUpload[] = [];
  const api = createApi({ url: server.url, key, project, otherKey: '', close: async () => {} });
  try {
    for (const [n, count] of counts.entries()) {
      const bucket = `stored-${n}-of-${count}`;
      await must(200, sendSigned(api, 'PUT', `/${bucket}`));
      const headers = { 'x-amz-checksum-algorithm': 'CRC64NVME', 'x-amz-checksum-type': 'FULL_OBJECT' };
      const { text } = await must(200, sendSigned(api, 'POST', `/${bucket}/large?uploads=`, { headers }));
      const [, uploadId = ''] = /<UploadId>(.*)<\/UploadId>/.exec(text) ?? [];
      uploads.push({ bucket, uploadId, count });
    }
  } finally {
    api.close();
    await server.stop();
  }
  const child = spawn(process.execPath, [program, place], { stdio: ['pipe', 'inherit', 'inherit'] });
  const rows = uploads.map(({ bucket, ...upload }) => ({ ...upload, ...storedPart, project, drive: bucket }));
  child.stdin.end(JSON.stringify(rows));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`The parts could not be stored: ${code}`);
  return uploads;
}
