import { S3Error } from '../errors.js';

/** What `x-amz-content-sha256` says of the body. */
export interface Payload {
  /** The value, as it is signed. */
  readonly text: string;
  /** The SHA-256 of the body, if it is signed as a whole. */
  readonly sha256?: string;
  /** Whether it comes in chunks of `aws-chunked`, and whether each is signed. */
  readonly chunks?: 'signed' | 'unsigned';
  readonly hasTrailer?: boolean;
}

export const unsignedPayload: Payload = { text: 'UNSIGNED-PAYLOAD' };

const kinds: readonly Payload[] = [
  unsignedPayload,
  { text: 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD', chunks: 'signed' },
  { text: 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER', chunks: 'signed', hasTrailer: true },
  { text: 'STREAMING-UNSIGNED-PAYLOAD-TRAILER', chunks: 'unsigned', hasTrailer: true },
];

/** Reads `x-amz-content-sha256`. Throws an `S3Error` for what is none of its values. */
export function readPayload(text: string | undefined): Payload {
  if (text === undefined) {
    throw new S3Error('InvalidRequest', 'Missing required header for this request: x-amz-content-sha256');
  }
  const kind = kinds.find((one) => one.text === text);
  if (kind !== undefined) return kind;
  if (/^[0-9a-f]{64}$/.test(text)) return { text, sha256: text };
  if (text.startsWith('STREAMING-AWS4-ECDSA')) throw new S3Error('NotImplemented', 'SigV4a is not supported');
  throw new S3Error(
    'InvalidArgument',
    'x-amz-content-sha256 must be UNSIGNED-PAYLOAD, STREAMING-… or a SHA-256 in hexadecimal digits',
    { ArgumentName: 'x-amz-content-sha256', ArgumentValue: text },
  );
}
