import { formOverheadBytes, isForm, keptByForm, readForm } from '../http/requests/bodies/form-file.js';
import { requireJsonType } from '../http/requests/bodies/json-body.js';
import { parseBody } from '../http/requests/bodies/members.js';
import type { Call } from '../http/requests/call.js';
import { declaredType } from '../http/requests/content-type.js';
import type { JsonRules } from '../json/parse.js';
import type { JsonValue } from '../json/value.js';
import type { Steps } from '../lib/concurrency/time-slices.js';
import { pageTooLarge } from '../request-error.js';
import type { Source } from './contents/piece.js';
import { defaultInlineFileBytes, maxBodyDepth, maxBodyString, maxBodyValues } from './limits.js';

/**
 * Gives a short body as a buffer, and a longer one, or one of unknown length, as a stream. The budget counts
 * `keptByWrite` bytes for the stream, the most that the blob store keeps of it in memory.
 */
export function sourceOf(call: Call, { maxBytes, keptByWrite }: SourceLimits): Source | Promise<Source> {
  const known = call.contentLength;
  return known !== undefined && known <= defaultInlineFileBytes
    ? call.body(maxBytes, pageTooLarge)
    : call.stream(maxBytes, pageTooLarge, { keptBytes: keptByWrite, isPrompt: false });
}

/** A file as a request sends it. */
export interface SentFile {
  readonly source: Source;
  /** Its Content-Type, if it was given. */
  readonly contentType: string | undefined;
  /** In a form: the name that it had on the client's disk. */
  readonly name?: string | undefined;
  /** Call it when the source will not be read any more. */
  drop?(): void;
}

interface SourceLimits {
  readonly maxBytes: number;
  readonly keptByWrite: number;
}

/** The body as a file, or the first file of a form (docs/http.md#forms). Throws a 400 `RequestError`. */
export function sentFileOf(call: Call, limits: SourceLimits): SentFile | Promise<SentFile> {
  const contentType = declaredType(call.headers);
  if (isForm(contentType)) return fileOfForm(call, contentType, limits);
  const source = sourceOf(call, limits);
  return source instanceof Promise
    ? source.then((bytes) => ({ source: bytes, contentType }))
    : { source, contentType };
}

async function fileOfForm(
  call: Call,
  contentType: string,
  { maxBytes, keptByWrite }: SourceLimits,
): Promise<SentFile> {
  const use = { keptBytes: keptByWrite + keptByForm, isPrompt: false };
  const body = call.stream(maxBytes + formOverheadBytes, pageTooLarge, use);
  const file = await readForm(body, contentType);
  return { ...file, source: bounded(file.chunks, maxBytes) };
}

async function* bounded(chunks: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw pageTooLarge();
    yield chunk;
  }
}

/** What `read` gives for a JSON body of at most `maxBytes`. Throws its 413 and 415 as a `RequestError`. */
export async function jsonBodyOf<Body>(
  call: Call,
  maxBytes: number,
  read: (body: Buffer) => Steps<Body>,
): Promise<Body> {
  requireJsonType(call);
  return await call.run(read(await call.body(maxBytes, pageTooLarge)));
}

/**
 * Reads a JSON body of the file API. It works in steps, because the body may have several megabytes. Throws a 400
 * `RequestError` if the body is not JSON or exceeds a limit of JSON bodies.
 */
export function readBody(
  body: Buffer,
  rules: Pick<JsonRules, 'elements' | 'outline'> = {},
): Steps<JsonValue> {
  return parseBody(body, {
    maxDepth: maxBodyDepth,
    maxValues: maxBodyValues,
    maxStringCharacters: maxBodyString,
    numbers: 'short',
    ...rules,
  });
}
