import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { Busboy } from '@fastify/busboy';
import { badField, RequestError, refused } from '../../../request-error.js';
import { isHeaderValue } from '../../header-value.js';

/** The first file of a form: a body of the type `multipart/form-data` (docs/http.md#forms). */
export interface FormFile {
  /** The name that the file had on the client's disk, without its folders. */
  readonly name: string;
  readonly contentType: string;
  /**
   * The bytes, as they arrive. They end when the whole form has ended, so that one that was cut off is none. Reading them
   * throws what reading the body throws, and a 400 `RequestError` for a form that is broken.
   */
  readonly chunks: AsyncIterable<Buffer>;
  /** Ends the reading of the body. Call it when no more chunks will be read. */
  drop(): void;
}

/** For the boundaries, the heads of the parts, and other fields, which are ignored. */
export const formOverheadBytes = 1024 * 1024;
/** What the parser keeps of the file. */
export const keptByForm = 128 * 1024;
/** A part may have only seven bytes, and the parser makes a stream for each. So it gets small pieces. */
const fedBytes = 64 * 1024;
const form = /^multipart\/form-data\s*(?:;|$)/i;
const boundary = /;\s*boundary=/i;
const limits = { files: 1, fieldSize: 1, parts: 1000, headerPairs: 20, headerSize: 16 * 1024 };

/** A form whose other fields matter, too. */
export interface FormFields {
  /** Whether this field is the file, whatever file name it and the others have. */
  readonly isFile: (field: string) => boolean;
  /** Of a longer value, only this many bytes are given. */
  readonly maxValueBytes: number;
  /** Is given each field that precedes the file. It must not throw. */
  readonly onField: (field: string, value: string) => void;
}

export function isForm(contentType: string | undefined): contentType is string {
  return contentType !== undefined && form.test(contentType);
}

/**
 * Reads a form up to its first file: the first field with a file name, if `fields` does not say otherwise. Other files
 * are skipped, and without `fields` other fields, too. Throws the 400 `RequestError` of a form without one, or that is
 * broken.
 */
export async function readForm(
  body: AsyncIterable<Buffer>,
  contentType: string,
  fields?: FormFields,
): Promise<FormFile> {
  const dropped = new AbortController();
  const parser = open(contentType, fields);
  // A field without a name comes as `undefined`, in spite of its type.
  const onField = (field: string | undefined, value: string) => fields?.onField(field ?? '', value);
  if (fields !== undefined) parser.on('field', onField);
  const found = new Promise<FormFile>((resolve, reject) => {
    parser.once('file', (_field, file: Readable, name = '', _encoding: string, type: string) => {
      // Those after a small file may be in the same chunk.
      parser.off('field', onField);
      // It is told of errors by `read` below.
      file.on('error', () => {});
      reading.catch((cause: Error) => file.destroy(cause));
      if (!isHeaderValue(type)) {
        reject(brokenForm('the Content-Type of the file has characters that no header may have'));
        dropped.abort();
        return;
      }
      resolve({ name, contentType: type, chunks: chunksOf(file, reading), drop: () => dropped.abort() });
    });
  });
  const reading = feed(parser, body, dropped.signal);
  const withoutFile = reading.then((): FormFile => {
    throw badField('body', 'required', 'must have a file: a field with a filename');
  });
  withoutFile.catch(() => {});
  return await Promise.race([found, withoutFile]);
}

type Parser = InstanceType<typeof Busboy>;

function open(contentType: string, fields: FormFields | undefined): Parser {
  if (!boundary.test(contentType)) throw brokenForm('its Content-Type has no boundary');
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      limits: { ...limits, fieldSize: fields?.maxValueBytes ?? limits.fieldSize },
      // A field for a file is sent without a name when no file was chosen.
      isPartAFile: (field, _type, name) =>
        fields === undefined ? name !== undefined && name !== '' : fields.isFile(field ?? ''),
    });
  } catch (cause) {
    throw brokenForm(cause);
  }
}

/** Resolves when the form has ended. */
async function feed(parser: Parser, body: AsyncIterable<Buffer>, dropped: AbortSignal): Promise<void> {
  const broken = new AbortController();
  parser.on('error', (cause) => broken.abort(brokenForm(cause)));
  dropped.addEventListener('abort', () => broken.abort(brokenForm('dropped')));
  /**
   * Waits for an event of the parser. Throws what has broken the form, if that comes first. A signal, because a promise keeps
   * a reaction for each race that it does not end.
   */
  const heard = (event: string) =>
    once(parser, event, { signal: broken.signal }).catch((cause) => {
      throw broken.signal.aborted ? broken.signal.reason : cause;
    });
  let hasTooMany = false;
  parser.once('partsLimit', () => {
    hasTooMany = true;
  });
  for await (const chunk of body) {
    if (dropped.aborted) return;
    // The parser keeps parts of it, and the body may use its memory again.
    const copy = Buffer.from(chunk);
    for (let at = 0; at < copy.length; at += fedBytes) {
      if (hasTooMany) throw brokenForm(`has more than ${limits.parts} parts`);
      if (!parser.write(copy.subarray(at, at + fedBytes))) await heard('drain');
    }
  }
  if (hasTooMany) throw brokenForm(`has more than ${limits.parts} parts`);
  const finished = heard('finish');
  finished.catch(() => {});
  parser.end();
  await finished;
}

async function* chunksOf(file: Readable, reading: Promise<void>): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of file as AsyncIterable<Buffer>) yield chunk;
  } catch (cause) {
    throw cause instanceof RequestError ? cause : brokenForm(cause);
  }
  await reading;
}

function brokenForm(cause: unknown) {
  const why = cause instanceof Error ? cause.message : String(cause);
  return refused('invalid_form', `body: is no whole multipart/form-data: ${why}`);
}
