import { concurrencyOf } from '../http/concurrency.js';
import { type Deadline, openDeadline, untilEnded } from '../http/deadline.js';
import { type Endpoint, parametersOf, segment } from '../http/endpoint.js';
import { BasedriveError } from '../http/error.js';
import { type Call, type JsonAnswer, requestJson } from '../http/request.js';
import { closeSource, type Piece, type Source } from '../http/source.js';
import type { GetUploadResponse, UploadResponse } from '../http-types.js';
import { expiryOf } from '../items/expiry.js';
import type { PutFileOptions, ResumeOptions } from './drive.js';
import { metadataHeaders } from './metadata.js';
import { trackUpload, type UploadProgress } from './progress.js';

/** The limits of docs/http.md#put-file and docs/http.md#upload-chunked-part. */
const maxPutBytes = 10 * 1024 * 1024;
const minPartBytes = 5 * 1024 * 1024;
/** The service reads a file of this type as a form, whose file it stores (docs/http.md#forms): a part is never one. */
const form = /^multipart\/form/i;
/** The first parts are small. Later parts are large, so that 10,000 parts are enough for 92 GiB. */
const smallParts = 1000;
/**
 * Milliseconds that a call that has ended waits for the service to drop its upload. If the service cannot be reached in
 * that time, it drops the upload itself later (docs/http.md#abandoned-uploads).
 */
const dropTimeoutMs = 5000;

/** What several uploads share, so that their memory is bounded together. */
export interface PieceRoom {
  /** Does `work`, which reads a piece and sends it, as soon as there is room for one more. */
  readonly admit: <T>(work: () => Promise<T>) => Promise<T>;
  /** The size of the parts in bytes. Such an upload cannot be resumed: see `smallParts`. */
  readonly partBytes?: number;
}

/** A part that was decided on before: how many bytes it has, and its headers `X-File-…`. */
export interface GivenPart {
  readonly bytes: number;
  readonly headers: Readonly<Record<string, string>>;
}

interface Upload {
  readonly endpoint: Endpoint;
  readonly source: Source;
  readonly type: string | undefined;
  /** `name={name}`, percent-encoded. */
  readonly query: string;
  readonly progress: UploadProgress;
  readonly deadline: Deadline;
  readonly concurrency: number;
  /** `&expires={seconds}` or `&expires_in={seconds}`, or nothing. */
  readonly expires: string;
  /** The metadata of the file and what it brings along, in the headers of its first request. */
  readonly metadata: Readonly<Record<string, string>>;
  /** The condition headers of the request that makes the file. */
  readonly conditions: Readonly<Record<string, string>>;
  /** Present if the upload in parts stays open when the call fails. */
  readonly resume: ResumeOptions | undefined;
  /** Whether the address is a link, which stands for key, drive and name. */
  readonly isLink: boolean;
  readonly room: PieceRoom;
  readonly givenParts: readonly GivenPart[] | undefined;
}

/** An upload in parts that the service has open. */
interface OpenParts {
  /** `/uploads/{upload_id}` */
  readonly path: string;
  /** The sizes of the parts that an earlier call has stored, by their numbers. */
  readonly stored: ReadonlyMap<number, number>;
}

/**
 * Stores the bytes of the source, and closes the source.
 * @returns false if the answer to the last request was lost, and its repeat found no upload: it is most likely stored
 */
export async function putFile(
  endpoint: Endpoint,
  query: string,
  source: Source,
  options: PutFileOptions & {
    readonly room?: PieceRoom;
    /** Headers `X-File-…`: what the file brings along (docs/http.md#file-headers). */
    readonly brought?: Readonly<Record<string, string>>;
    readonly isLink?: boolean;
    /** The parts of the file; undefined: as many as its size needs, of the usual size. */
    readonly givenParts?: readonly GivenPart[] | undefined;
  },
): Promise<boolean> {
  const deadline = openDeadline(options);
  try {
    const upload: Upload = {
      endpoint,
      source,
      type: options.contentType ?? source.type,
      query,
      progress: trackUpload(source.size, options.onProgress),
      deadline,
      concurrency: concurrencyOf(options.concurrency),
      metadata: { ...metadataHeaders(options.metadata), ...options.brought },
      conditions: conditionsOf(options),
      expires: expiresOf(options),
      resume: options.resume,
      isLink: options.isLink ?? false,
      room: options.room ?? { admit: (work) => work() },
      givenParts: options.givenParts,
    };
    const head = await upload.room.admit(() => putSmall(upload));
    const isCertain = head === undefined || (await putParts(upload, head));
    upload.progress.end();
    return isCertain;
  } finally {
    await closeSource(source, deadline);
  }
}

/** Stores a file of one request. Gives undefined, or for a larger file what was read of it. */
async function putSmall(upload: Upload): Promise<Piece[] | undefined> {
  if (upload.givenParts !== undefined) return [];
  if (upload.room.partBytes && Number(upload.source.size) > maxPutBytes) return [];
  const first = await read(upload, maxPutBytes);
  const second = first && sizeOf(first) === maxPutBytes ? await read(upload, minPartBytes) : undefined;
  if (first && second) return [first, second];
  const whole = first ?? new Uint8Array();
  if (form.test(upload.type ?? '') && !upload.isLink) return [whole];
  await putWhole(upload, whole);
  return undefined;
}

/** Reads from the source until the deadline, because a source may give nothing for a long time. */
function read({ source, deadline }: Upload, bytes: number): Promise<Piece | undefined> {
  return untilEnded(source.read(bytes), deadline);
}

function expiresOf(options: PutFileOptions): string {
  const { __expires: expires, expires_in } = expiryOf(options);
  const parameters = parametersOf({ expires, expires_in });
  return parameters && `&${parameters}`;
}

/** The headers of a condition. */
export function conditionsOf({
  ifMatch,
  ifNoneMatch,
}: Pick<PutFileOptions, 'ifMatch' | 'ifNoneMatch'>): Readonly<Record<string, string>> {
  return {
    ...(ifMatch !== undefined && { 'If-Match': ifMatch }),
    ...(ifNoneMatch !== undefined && { 'If-None-Match': ifNoneMatch }),
  };
}

function send(
  { endpoint, type, deadline }: Upload,
  call: Omit<Call, 'type' | 'repeatable'>,
  repeatable = true,
): Promise<JsonAnswer> {
  // Requests of an upload may be repeated: a part replaces the same part, and a file replaces itself.
  return requestJson(endpoint, { ...call, type, repeatable }, { signal: deadline.signal });
}

async function putWhole(upload: Upload, body: Piece): Promise<void> {
  const onSent = upload.progress.part(sizeOf(body));
  const { conditions, metadata, isLink } = upload;
  const call = {
    method: 'POST',
    path: isLink ? '' : `/files?${upload.query}${upload.expires}`,
    body,
    headers: { ...conditions, ...metadata },
    onSent,
  } as const;
  // If the answer is lost, the file may be stored. Then its own condition would refuse the same request.
  const answer = await send(upload, call, Object.keys(conditions).length === 0);
  // A link stores a file once: a repeat finds what the first attempt has stored.
  const isStored = isLink && answer.lost && answer.error?.status === 409;
  if (!isStored) succeed(answer);
}

async function putParts(upload: Upload, head: Piece[]): Promise<boolean> {
  const open = (await findUpload(upload)) ?? (await openUpload(upload));
  const { path } = open;
  try {
    await sendParts(upload, open, head);
    const { conditions: headers } = upload;
    const ended = await send(upload, { method: 'PATCH', path: `${path}?${upload.query}`, headers });
    // If the answer to the first attempt was lost and the upload is unknown now, the first attempt has ended it.
    if (!ended.lost) succeed(ended);
    return ended.error === undefined;
  } catch (error) {
    if (upload.resume !== undefined) throw error;
    await requestJson(
      upload.endpoint,
      { method: 'DELETE', path: `${path}?${upload.query}`, repeatable: true },
      { timeoutMs: dropTimeoutMs },
    ).catch(() => {
      // The call rejects with the error of the upload, not with that of dropping it.
    });
    throw error;
  }
}

/** The upload that an earlier call has begun; undefined if there was none, or if the service has dropped it. */
async function findUpload(upload: Upload): Promise<OpenParts | undefined> {
  const { uploadId } = upload.resume ?? {};
  if (uploadId === undefined) return undefined;
  return await partsOf(upload, uploadId).catch((cause) => {
    if (upload.deadline.error()) throw cause;
    return undefined;
  });
}

async function openUpload(upload: Upload): Promise<OpenParts> {
  // If the call is aborted now, the service may still open the upload. The answer has the id of the upload to drop.
  const opening = {
    method: 'POST',
    path: `/uploads?${upload.query}${upload.expires}`,
    headers: upload.metadata,
    graceMs: dropTimeoutMs,
  } as const;
  const answer = await send(upload, opening);
  succeed(answer);
  const { upload_id } = answer.value as UploadResponse;
  upload.resume?.onOpen(upload_id);
  // A link gives the upload that it has open.
  if (upload.isLink) return await partsOf(upload, upload_id);
  return { path: `/uploads/${segment('upload_id', upload_id)}`, stored: new Map() };
}

/** Rejects with code `not_found` if the service has no such upload. */
async function partsOf(upload: Upload, uploadId: string): Promise<OpenParts> {
  const path = `/uploads/${segment('upload_id', uploadId)}`;
  const answer = await send(upload, { method: 'GET', path: `${path}?${upload.query}` });
  succeed(answer);
  const { parts } = answer.value as GetUploadResponse;
  return { path, stored: new Map(parts.map(({ part, size }) => [part, size])) };
}

async function sendParts(whole: Upload, { path, stored }: OpenParts, head: Piece[]): Promise<void> {
  const { query, progress, concurrency, room, givenParts } = whole;
  // The parts end with the call, or with the first part that fails.
  const deadline = openDeadline({ signal: whole.deadline.signal });
  const upload = { ...whole, deadline };
  let last = 0;
  let hasEnded = false;
  let failed: { readonly error: unknown } | undefined;
  let reading: Promise<Piece | undefined> = Promise.resolve(undefined);

  const sendNext = async () => {
    if (hasEnded) return;
    const part = ++last;
    const given = givenParts?.[part - 1];
    const bytes = given?.bytes ?? room.partBytes ?? (part <= smallParts ? minPartBytes : maxPutBytes);
    // Pieces are read one after the other, in the order of the parts.
    reading = reading.then(() => (bytes === 0 ? new Uint8Array() : (head.shift() ?? read(upload, bytes))));
    const body = await reading;
    if (body === undefined) {
      hasEnded = true;
      return;
    }
    const size = sizeOf(body);
    const onSent = progress.part(size);
    if (stored.get(part) !== size) {
      const to = `${path}/parts?${query}&part=${part}`;
      const call = { method: 'POST', path: to, body, onSent, headers: given?.headers ?? {} } as const;
      succeed(await send(upload, call));
    }
    onSent(size);
  };

  const sendAll = async () => {
    try {
      while (!hasEnded) await room.admit(sendNext);
    } catch (error) {
      // A part or the source has failed, or the call has ended. The parts in flight must end, too.
      hasEnded = true;
      failed ??= { error };
      deadline.end(new BasedriveError('aborted', 'The upload was dropped'));
    }
  };
  await Promise.all(Array.from({ length: concurrency }, sendAll));
  deadline.close();
  if (failed) throw failed.error;
}

function succeed({ error }: JsonAnswer): void {
  if (error) throw error;
}

function sizeOf(piece: Piece): number {
  return piece instanceof Blob ? piece.size : piece.byteLength;
}
