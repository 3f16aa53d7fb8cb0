import { createHash } from 'node:crypto';
import { S3Client } from '@aws-sdk/client-s3';
import { OperatorError } from '../../operator-error.js';
import type { S3Options } from './options.js';

/** The limit of a call, with its retries and the wait for a free connection. */
const callTimeoutMs = 15_000;
/** A call that sends bytes may take longer, down to this rate, so that slow networks work too. */
const minBytesPerMs = 250;
/** The limit of a call that cleans up after a failure. The caller is waiting, and maintenance removes what is left. */
export const cleanUpTimeoutMs = 5000;
const connectionTimeoutMs = 3000;
/**
 * A connection on which nothing moves for this long is closed (up to three seconds later: the SDK starts its timer
 * late). A reader who pauses longer loses the connection too, and `readObject` opens a new one.
 */
const idleMs = 7000;
/**
 * A store makes an object of large parts in up to several minutes, as that of AWS says. It sends blanks meanwhile, to keep
 * the connection: how often, no store promises.
 */
export const completeTimeoutMs = 600_000;
/** For a client that ends multipart uploads, in milliseconds. */
export const completeIdleMs = 60_000;
const maxAttempts = 3;
/** Each download holds one, so the limit must leave some for writes when there are a few hundred slow readers. */
const maxSockets = 1024;

/**
 * The SDK's client, with limits of time and connections. The SDK's own checksums are off, because stores other than AWS
 * refuse them; bytes are checked by their MD5, which all stores know. Throws `OperatorError` if the endpoint is not a
 * URL.
 */
export function openS3Client(options: S3Options, socketTimeout = idleMs): S3Client {
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
      socketTimeout,
      socketAcquisitionWarningTimeout: callTimeoutMs,
    },
  });
  sendMd5OfDeletes(client);
  return client;
}

/** S3 requires a checksum for a list of deletes. Many stores do not know the SDK's checksum, but all know the MD5. */
function sendMd5OfDeletes(client: S3Client): void {
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
    { step: 'build', priority: 'low', name: 'sendMd5OfDeletes' },
  );
}

/** The limit in milliseconds of a call that sends this many bytes. */
export function sendTimeoutMs(sizeBytes: number): number {
  return callTimeoutMs + sizeBytes / minBytesPerMs;
}

/** Sends calls, and aborts one that has no answer within the limit. The body of an answer may take longer. */
export function inTime(client: S3Client, timeoutMs = callTimeoutMs): Pick<S3Client, 'send'> {
  async function send(command: Parameters<S3Client['send']>[0]) {
    const controller = new AbortController();
    const abort = () => controller.abort(new Error(`no answer within ${timeoutMs} ms`));
    const timer = setTimeout(abort, timeoutMs);
    try {
      return await client.send(command, { abortSignal: controller.signal });
    } finally {
      clearTimeout(timer);
    }
  }
  return { send: send as S3Client['send'] };
}
