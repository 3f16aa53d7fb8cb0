import { createHash } from 'node:crypto';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import type { Random } from '../random.js';

export const bucket = 'killed';
const minPartBytes = 5 * 1024 ** 2;

/** What a key may hold: the digest of its bytes, or that there is none. */
export type Held = string;
export const nothing: Held = 'nothing';

/** The keys of one writer, and what each may hold: one thing once it was acknowledged, more after a kill. */
export type Holdings = Map<string, Set<Held>>;

export function heldOf(bytes: Uint8Array): Held {
  return createHash('sha256').update(bytes).digest('hex');
}

/** One change of one key, through all its requests. */
export interface Change {
  readonly key: string;
  /** What the key holds once the change was acknowledged; undefined: what it held before. */
  readonly makes: Held | undefined;
  run(client: S3Client): Promise<unknown>;
}

/** A change whose steps a kill may hit. `known`: keys of the same writer that surely hold this. */
export function nextChange(random: Random, key: string, known: ReadonlyMap<string, Held>): Change {
  const target = { Bucket: bucket, Key: key };
  const kind = random.int(10);
  if (kind === 0) {
    return { key, makes: nothing, run: (client) => client.send(new DeleteObjectCommand(target)) };
  }
  if (kind <= 2) return inParts(random, key, kind === 1);
  const sources = [...known].filter(([name, held]) => held !== nothing && name !== key);
  if (kind <= 4 && sources.length > 0) {
    const source = random.pick(sources);
    const CopySource = `${bucket}/${source[0]}`;
    return {
      key,
      makes: source[1],
      run: (client) => client.send(new CopyObjectCommand({ ...target, CopySource })),
    };
  }
  // In a row, in one blob, and in a blob of several chunks.
  const Body = bytesOf(random, random.pick([100, 100_000, 700_000]));
  return {
    key,
    makes: heldOf(Body),
    run: (client) => client.send(new PutObjectCommand({ ...target, Body })),
  };
}

function inParts(random: Random, key: string, isAborted: boolean): Change {
  const target = { Bucket: bucket, Key: key };
  const parts = [bytesOf(random, minPartBytes), bytesOf(random, 1 + random.int(200_000))];
  return {
    key,
    makes: isAborted ? undefined : heldOf(Buffer.concat(parts)),
    async run(client) {
      const { UploadId } = await client.send(new CreateMultipartUploadCommand(target));
      const Parts = await Promise.all(
        parts.map(async (Body, n) => {
          const PartNumber = n + 1;
          const { ETag } = await client.send(
            new UploadPartCommand({ ...target, UploadId, PartNumber, Body }),
          );
          return { PartNumber, ETag };
        }),
      );
      if (isAborted) await client.send(new AbortMultipartUploadCommand({ ...target, UploadId }));
      else {
        const end = { ...target, UploadId, MultipartUpload: { Parts } };
        await client.send(new CompleteMultipartUploadCommand(end));
      }
    },
  };
}

function bytesOf(random: Random, size: number): Buffer {
  return Buffer.alloc(size, `${random.int(1_000_000_000)} `);
}
