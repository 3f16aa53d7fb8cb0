import { Agent, request } from 'node:http';
import { type S3Address, type S3Request, signedHeaders, targetOf } from './sign.js';

export const agent = new Agent({ keepAlive: true, maxSockets: 64 });
/** Ceph makes its pools with the first bucket. */
const timeoutMs = 300_000;

export interface S3Answer {
  readonly text: string;
  readonly etag: string;
  readonly bytes: number;
}

/**
 * Sends a signed request and reads its answer, of which the text is kept only if it is XML.
 * @throws Error if the status is not 2xx
 */
export function sendS3(
  address: S3Address,
  s3: S3Request,
  body?: Buffer | readonly Buffer[],
): Promise<S3Answer> {
  return new Promise((resolve, reject) => {
    const headers: Record<string, string | number> = { ...signedHeaders(address, s3) };
    const chunks = body === undefined ? [] : Buffer.isBuffer(body) ? [body] : [...body];
    if (s3.method !== 'GET') headers['Content-Length'] = chunks.reduce((sum, { length }) => sum + length, 0);
    const options = { method: s3.method, headers, agent, signal: AbortSignal.timeout(timeoutMs) };
    const sending = request(address.url + targetOf(s3), options, (answer) => {
      let bytes = 0;
      const kept: Buffer[] = [];
      const isXml = answer.headers['content-type']?.includes('xml');
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (isXml) kept.push(chunk);
      });
      answer.on('error', reject).on('end', () => {
        const text = Buffer.concat(kept).toString();
        const status = answer.statusCode ?? 0;
        if (status >= 200 && status < 300) return resolve({ text, bytes, etag: answer.headers.etag ?? '' });
        reject(new Error(`${s3.method} ${targetOf(s3)}: ${status} ${text.slice(0, 300)}`));
      });
    });
    sending.on('error', (cause: NodeJS.ErrnoException) => {
      // A store that was suspended for long has closed the connection.
      const isClosed = cause.code === 'ECONNRESET' || cause.code === 'EPIPE';
      if (!isClosed || !sending.reusedSocket) return reject(cause);
      sendS3(address, s3, body).then(resolve, reject);
    });
    const next = () => {
      for (let chunk = chunks.shift(); chunk !== undefined; chunk = chunks.shift()) {
        if (!sending.write(chunk)) return void sending.once('drain', next);
      }
      sending.end();
    };
    next();
  });
}

/** Does `work` for the numbers below `count`, so many at once. */
export async function inParallel(count: number, atOnce: number, work: (n: number) => Promise<unknown>) {
  const numbers = Array(count).keys();
  const one = async () => {
    for (const n of numbers) await work(n);
  };
  await Promise.all(Array.from({ length: Math.min(count, atOnce) }, one));
}
