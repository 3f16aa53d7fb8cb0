import { S3Client } from '@aws-sdk/client-s3';
import type { S3Options } from './s3-options.js';

/** A call is done within this, its repetitions and the waiting for a free connection included. */
const callTimeoutMs = 15_000;
const connectionTimeoutMs = 3000;
const attemptTimeoutMs = 7000;
const maxAttempts = 3;
const maxSockets = 128;

/**
 * The SDK's client, bounded in time and in connections. Checksums of its own making are left out: stores other than
 * AWS refuse them on streams; bytes are checked by their MD5, which all know.
 */
export function openS3Client(options: S3Options): S3Client {
  const { endpoint, region, forcePathStyle, credentials } = options;
  const agent = { keepAlive: true, maxSockets };
  return new S3Client({
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
      requestTimeout: attemptTimeoutMs,
      throwOnRequestTimeout: true,
      socketAcquisitionWarningTimeout: callTimeoutMs,
    },
  });
}

/** Ends a call that takes too long; what it has begun to give, a body, may take its time. */
export async function inTime<T>(call: (abortSignal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const late = () => controller.abort(new Error(`no answer within ${callTimeoutMs} ms`));
  const timer = setTimeout(late, callTimeoutMs);
  try {
    return await call(controller.signal);
  } finally {
    clearTimeout(timer);
  }
}
