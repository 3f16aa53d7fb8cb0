import { createHash } from 'node:crypto';
import { S3Client } from '@aws-sdk/client-s3';
import { OperatorError } from '../../operator-error.js';
import type { S3Options } from './options.js';

/** A call is done within this, its repetitions and the waiting for a free connection included. */
const callTimeoutMs = 15_000;
/** Beyond that time, what a call sends is given this much: a slow line is no reason to refuse it. */
const leastBytesPerMs = 250;
/** Tidying up behind a failure: the caller waits for its answer, and a sweep comes by later. */
export const cleanUpTimeoutMs = 5000;
const connectionTimeoutMs = 3000;
/**
 * A connection that moves nothing for so long (and up to three seconds more: the SDK's watch begins late) is given up.
 * What moves, however slowly, goes on. A reader who pauses for longer loses his connection too; it is made again.
 */
const silenceMs = 7000;
const maxAttempts = 3;
/** Each download that is under way holds one, so a few hundred slow readers must not keep writes from theirs. */
const maxSockets = 1024;

/**
 * The SDK's client, bounded in time and in connections. Checksums of its own making are left out: stores other than
 * AWS refuse them on streams; bytes are checked by their MD5, which all know. Throws `OperatorError` when the endpoint
 * is no URL.
 */
export function openS3Client(options: S3Options): S3Client {
  const { endpoint, region, forcePathStyle, credentials } = options;
  if (endpoint !== undefined && !(/^https?:/.test(endpoint) && URL.canParse(endpoint))) {
    throw new OperatorError(`The endpoint of the S3 store must be a URL, https://host: ${endpoint}`);
  }
  const agent = { keepAlive: true, maxSockets };
  const client = new S3Client({
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(credentials === undefined ? {} : { credentials }),
    region,
    forcePathStyle,
    maxAttempts,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      httpAgent: agent,
      httpsAgent: agent,
      connectionTimeout: connectionTimeoutMs,
      socketTimeout: silenceMs,
      socketAcquisitionWarningTimeout: callTimeoutMs,
    },
  });
  checkDeletesByMd5(client);
  return client;
}

/** Lists of what to delete must come with a checksum; the SDK's is newer than many stores, the MD5 is not. */
function checkDeletesByMd5(client: S3Client): void {
  client.middlewareStack.add(
    (next, { commandName }) =>
      (args) => {
        const request = args.request as { headers: Record<string, string>; body?: string | Uint8Array };
        if (commandName === 'DeleteObjectsCommand' && request.body !== undefined) {
          for (const name of Object.keys(request.headers)) {
            if (/^x-amz-(sdk-)?checksum-/i.test(name)) delete request.headers[name];
          }
          request.headers['content-md5'] = createHash('md5').update(request.body).digest('base64');
        }
        return next(args);
      },
    { step: 'build', priority: 'low', name: 'checkDeletesByMd5' },
  );
}

/** How long a call may take that sends so many bytes. */
export function timeToSend(bytes: number): number {
  return callTimeoutMs + bytes / leastBytesPerMs;
}

/** Ends a call that takes too long. What it has begun to give, a body, may take its time. */
export async function inTime<T>(
  call: (abortSignal: AbortSignal) => Promise<T>,
  withinMs = callTimeoutMs,
): Promise<T> {
  const controller = new AbortController();
  const late = () => controller.abort(new Error(`no answer within ${withinMs} ms`));
  const timer = setTimeout(late, withinMs);
  try {
    return await call(controller.signal);
  } finally {
    clearTimeout(timer);
  }
}
