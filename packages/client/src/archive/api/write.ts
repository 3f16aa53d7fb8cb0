import { BasedriveError } from '../../error.js';
import type { UploadResponse } from '../../http-types.js';
import type { Semaphore } from '../semaphore.js';
import type { ProjectAddress } from './address.js';
import { fileCall, findFile } from './project.js';
import { ask, type Call, createPatience, jsonOf, type Patience } from './request.js';

/** The largest body of Put File, and of a part (docs/http.md#put-file). */
export const maxPutBytes = 10 * 1024 * 1024;
/** The largest file: 10,000 parts (docs/http.md#upload-chunked-part). */
export const maxFileBytes = 10_000 * maxPutBytes;

/** A file to store. */
export interface NewFile {
  readonly name: string;
  /** Undefined: the service derives it from the name. */
  readonly contentType: string | undefined;
  /** Whole seconds since 1970 UTC; undefined: never. */
  readonly expires: number | undefined;
  /** Whether a file of this name stays as it is. */
  readonly onlyNew: boolean;
}

/** Stores a file of at most `maxPutBytes` (docs/http.md#put-file). Gives false if a file of this name stays. */
export async function putFile(
  address: ProjectAddress,
  drive: string,
  file: NewFile,
  body: Buffer,
): Promise<boolean> {
  const call: Call = {
    ...fileCall('POST', drive, `/files?${expiresOf(file)}`, file.name),
    headers: { ...typeOf(file), ...conditionOf(file) },
    body,
  };
  return (await ask(address, call, [412])).status !== 412;
}

/** The bytes of a large file. */
export interface FileParts {
  /** Gives `maxPutBytes` bytes each, and fewer at the end. */
  readonly parts: AsyncGenerator<Buffer, void, undefined>;
  /** A part is read only once this admits it, and keeps its place until it is stored: this limits the memory of all files. */
  readonly inFlight: Semaphore;
}

/** Requests of one file that are in progress at once. */
const partsAtOnce = 4;
/** How long an import that ends waits for the server to drop an upload. */
const dropMs = 10_000;

/**
 * Stores a file of any size in parts (docs/http.md#chunked-upload), a few at once. When `parts` throws, the upload is
 * dropped and nothing has changed. Gives false if a file of this name stays.
 */
export async function uploadFile(
  address: ProjectAddress,
  drive: string,
  file: NewFile,
  source: FileParts,
): Promise<boolean> {
  const before = await findFile(address, drive, file.name);
  const begun = await ask(address, {
    ...fileCall('POST', drive, `/uploads?${expiresOf(file)}`, file.name),
    headers: typeOf(file),
  });
  const { upload_id: id } = jsonOf<UploadResponse>(address, begun);
  let bytes = 0;
  try {
    await sendParts(source, async (part, body) => {
      bytes += body.length;
      const call = fileCall('POST', drive, `/uploads/${id}/parts?part=${part}&`, file.name);
      await ask(address, { ...call, body });
    });
  } catch (cause) {
    await drop(address, fileCall('DELETE', drive, `/uploads/${id}?`, file.name));
    throw cause;
  }
  const end = { ...fileCall('PATCH', drive, `/uploads/${id}?`, file.name), headers: conditionOf(file) };
  const patience = noting(createPatience(address));
  const { status } = await ask(address, end, [404, 412], patience);
  if (status === 404) {
    // The answer to an End that succeeded may have been lost: the repeat does not find the upload.
    const stored = patience.hasLostAnswer() ? await findFile(address, drive, file.name) : undefined;
    if (stored === undefined || stored.size !== bytes || stored.etag === before?.etag) {
      throw new BasedriveError('failed', `The server lost the upload of ${file.name}`, { status });
    }
  }
  if (status !== 412) return true;
  await ask(address, fileCall('DELETE', drive, `/uploads/${id}?`, file.name), [404]);
  return false;
}

/** Patience that knows whether a request may have been done although its answer was lost. */
function noting(patience: Patience): Patience & { hasLostAnswer(): boolean } {
  let hasLost = false;
  return {
    ...patience,
    async failed(cause) {
      // Only after 429 the service has certainly not done the request (docs/http.md#errors).
      if (cause.status !== 429) hasLost = true;
      await patience.failed(cause);
    },
    hasLostAnswer: () => hasLost,
  };
}

/**
 * Drops an upload that failed or was aborted. A server that does not do it in time drops the upload later by itself
 * (docs/http.md#abandoned-uploads).
 */
async function drop(address: ProjectAddress, call: Call): Promise<void> {
  const inTime = { ...address, signal: AbortSignal.timeout(dropMs) };
  await ask(inTime, call, [404], createPatience(inTime, 0)).catch(() => {});
}

/** Reads the parts in their order and sends several at once. After a failure it waits for what it has begun. */
async function sendParts(
  { parts, inFlight }: FileParts,
  send: (part: number, body: Buffer) => Promise<void>,
): Promise<void> {
  let last = 0;
  let hasEnded = false;

  async function sendNext(): Promise<void> {
    // Reads of a generator wait for each other, so the numbers are in the order of the parts.
    const part = ++last;
    const { done, value } = await parts.next();
    if (done) hasEnded = true;
    else await send(part, value);
  }

  const workers = Array.from({ length: partsAtOnce }, async () => {
    try {
      while (!hasEnded) await inFlight(async () => (hasEnded ? undefined : await sendNext()));
    } catch (cause) {
      hasEnded = true;
      throw cause;
    }
  });
  const ended = await Promise.allSettled(workers);
  await parts.return();
  const failure = ended.find(({ status }) => status === 'rejected');
  if (failure !== undefined) throw (failure as PromiseRejectedResult).reason;
}

function expiresOf({ expires }: NewFile): string {
  return expires === undefined ? '' : `expires=${expires}&`;
}

function typeOf({ contentType }: NewFile): { readonly 'Content-Type'?: string } {
  return contentType === undefined ? {} : { 'Content-Type': contentType };
}

function conditionOf({ onlyNew }: NewFile): { readonly 'If-None-Match'?: string } {
  return onlyNew ? { 'If-None-Match': '*' } : {};
}
