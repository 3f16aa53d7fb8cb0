import { type Deadline, openDeadline, untilEnded } from './deadline.js';
import type { PutFileOptions } from './drive.js';
import { type Endpoint, segment } from './endpoint.js';
import { BasedriveError } from './error.js';
import type { UploadResponse } from './http-types.js';
import { type Progress, trackProgress } from './progress.js';
import { type Call, type JsonAnswer, requestJson } from './request.js';
import type { Piece, Source } from './source.js';

/** "Single-request upload size: at most 10 Mb", "Chunk size: at least 5 Mb and at most 10 Mb" */
const maxPutBytes = 10 * 1024 * 1024;
const minPartBytes = 5 * 1024 * 1024;
/** Parts are small while they are few, and large when their numbers (to 10,000) might run out: up to 92 GiB. */
const smallParts = 1000;
/**
 * How long a call that was ended waits for the service to drop its upload. If the service cannot be reached in that time,
 * it drops the upload by itself later (docs/http.md#chunked-upload).
 */
const dropTimeoutMs = 5000;

interface Upload {
  readonly endpoint: Endpoint;
  readonly source: Source;
  readonly type: string | undefined;
  /** `name={name}`, encoded. */
  readonly query: string;
  readonly progress: Progress;
  readonly deadline: Deadline;
  readonly concurrency: number;
}

/** Stores what the source gives under a name, and closes the source. */
export async function putFile(
  endpoint: Endpoint,
  query: string,
  source: Source,
  options: PutFileOptions,
): Promise<void> {
  const deadline = openDeadline(options);
  const upload: Upload = {
    endpoint,
    source,
    type: options.contentType ?? source.type,
    query,
    progress: trackProgress(source.size, options.onProgress),
    deadline,
    concurrency: Math.max(1, options.concurrency ?? 4),
  };
  try {
    const first = await read(upload, maxPutBytes);
    const second = first && sizeOf(first) === maxPutBytes ? await read(upload, minPartBytes) : undefined;
    if (first && second) await putParts(upload, [first, second]);
    else await putWhole(upload, first ?? new Uint8Array());
    upload.progress.end();
  } finally {
    const closed = source.close();
    // A source that hangs would keep a call that was ended from ending.
    if (deadline.error()) closed.catch(() => {});
    else await closed;
    deadline.close();
  }
}

/** A source may give nothing for long; the call ends all the same. */
function read({ source, deadline }: Upload, bytes: number): Promise<Piece | undefined> {
  return untilEnded(source.read(bytes), deadline);
}

function send(
  { endpoint, type, deadline }: Upload,
  call: Omit<Call, 'type' | 'repeatable'>,
): Promise<JsonAnswer> {
  // Whatever is sent for a file may be sent twice: a part again replaces the first, and a file overwrites itself.
  return requestJson(endpoint, { ...call, type, repeatable: true }, { signal: deadline.signal });
}

async function putWhole(upload: Upload, body: Piece): Promise<void> {
  const onSent = upload.progress.part(sizeOf(body));
  succeed(await send(upload, { method: 'POST', path: `/files?${upload.query}`, body, onSent }));
}

async function putParts(upload: Upload, head: Piece[]): Promise<void> {
  // Even if the call is aborted now, the service may open the upload: the answer says which one is to be dropped.
  const opening = { method: 'POST', path: `/uploads?${upload.query}`, graceMs: dropTimeoutMs } as const;
  const answer = await send(upload, opening);
  succeed(answer);
  const { upload_id } = answer.value as UploadResponse;
  const path = `/uploads/${segment('upload_id', upload_id)}`;
  try {
    await sendParts(upload, path, head);
    const ended = await send(upload, { method: 'PATCH', path: `${path}?${upload.query}` });
    // Unknown on the second try, after a first whose answer was lost: that one has ended it.
    if (!ended.lost) succeed(ended);
  } catch (error) {
    await requestJson(
      upload.endpoint,
      { method: 'DELETE', path: `${path}?${upload.query}`, repeatable: true },
      { timeoutMs: dropTimeoutMs },
    ).catch(() => {
      // The reason why the upload failed is the one to be told.
    });
    throw error;
  }
}

async function sendParts(whole: Upload, path: string, pieces: Piece[]): Promise<void> {
  const { query, progress, concurrency } = whole;
  // Ends with the call, and with the first part that fails.
  const deadline = openDeadline({ signal: whole.deadline.signal });
  const upload = { ...whole, deadline };
  const running = new Set<Promise<void>>();
  let failed: { readonly error: unknown } | undefined;
  const giveUp = () => deadline.end(new BasedriveError('aborted', 'The upload was given up'));

  const sendPart = async (part: number, body: Piece) => {
    try {
      const onSent = progress.part(sizeOf(body));
      const call = { method: 'POST', path: `${path}/parts?${query}&part=${part}`, body, onSent } as const;
      succeed(await send(upload, call));
      onSent(sizeOf(body));
    } catch (error) {
      failed ??= { error };
      giveUp();
    }
  };

  try {
    for (let part = 1; ; part++) {
      const piece = pieces.shift() ?? (await read(upload, part <= smallParts ? minPartBytes : maxPutBytes));
      if (piece === undefined) break;
      const run = sendPart(part, piece).finally(() => running.delete(run));
      running.add(run);
      while (running.size >= concurrency) await Promise.race(running);
    }
  } catch (error) {
    // The source has failed, or the call was ended: no part is left behind.
    failed ??= { error };
    giveUp();
  }
  await Promise.all(running);
  deadline.close();
  if (failed) throw failed.error;
}

function succeed({ error }: JsonAnswer): void {
  if (error) throw error;
}

function sizeOf(piece: Piece): number {
  return piece instanceof Blob ? piece.size : piece.byteLength;
}
