import { keptByForm, readForm } from '../../http/requests/bodies/form-file.js';
import type { Exchange } from '../../http/requests/exchange.js';
import { RequestError } from '../../request-error.js';
import { S3Error } from '../errors.js';

/** A form as a browser posts it to a bucket. What follows its file is ignored. */
export interface PostedForm {
  /** By their names in lower case, with `${filename}` replaced by the name of the file. */
  readonly fields: ReadonlyMap<string, string>;
  /** The bytes of the file. Reading them throws what the form breaks, with its end in place of it. */
  readonly chunks: AsyncIterable<Buffer>;
  /** Ends the reading of the body. Call it when no more chunks will be read. */
  drop(): void;
}

/** The most that a form may have before its file, as AWS has it. */
const maxFieldsBytes = 20 * 1024;
/**
 * Beyond what a file may have: for the fields, the boundaries, and what follows the file. It is also the most that is read
 * before the file, with the heads of all fields.
 */
const formOverheadBytes = 1024 * 1024;
// biome-ignore lint/suspicious/noTemplateCurlyInString: forms have it as it stands.
const placeholder = '${filename}';

/** Reads a form up to its file. Throws an `S3Error`. */
export async function readPostedForm(
  exchange: Exchange,
  contentType: string,
  { maxBytes, keptBytes }: { readonly maxBytes: number; readonly keptBytes: number },
): Promise<PostedForm> {
  const tooLarge = () => new S3Error('EntityTooLarge');
  const use = { keptBytes: keptBytes + keptByForm, isPrompt: false };
  const body = exchange.stream(maxBytes + formOverheadBytes, tooLarge, use);
  let hasFile = false;
  const given: [name: string, value: string][] = [];
  let bytes = 0;
  const file = await readForm(
    withEarlyFile(body, () => hasFile),
    contentType,
    {
      isFile(field) {
        const isFile = field.toLowerCase() === 'file';
        hasFile ||= isFile;
        return isFile;
      },
      maxValueBytes: maxFieldsBytes + 1,
      onField(field, value) {
        bytes += Buffer.byteLength(field) + Buffer.byteLength(value);
        if (bytes <= maxFieldsBytes) given.push([field.toLowerCase(), value]);
      },
    },
  ).catch((cause) => {
    throw withoutFile(cause);
  });
  try {
    if (bytes > maxFieldsBytes) throw new S3Error('MaxPostPreDataLengthExceededError');
    return { fields: fieldsOf(given, file.name), chunks: file.chunks, drop: file.drop };
  } catch (cause) {
    file.drop();
    throw cause;
  }
}

/**
 * The bytes of a form whose file begins early. Nobody knows yet who signed it, so no more is read of another one. Throws
 * `MaxPostPreDataLengthExceededError`.
 */
async function* withEarlyFile(body: AsyncIterable<Buffer>, hasFile: () => boolean): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of body) {
    if (bytes > formOverheadBytes && !hasFile()) throw new S3Error('MaxPostPreDataLengthExceededError');
    bytes += chunk.length;
    yield chunk;
  }
}

function fieldsOf(
  given: readonly (readonly [name: string, value: string])[],
  fileName: string,
): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  for (const [name, value] of given) {
    // Of two values, the policy could mean one and the object get the other.
    if (fields.has(name)) throw new S3Error('InvalidArgument', `The field ${name} must be given once`);
    fields.set(name, name === 'policy' ? value : value.replaceAll(placeholder, () => fileName));
  }
  return fields;
}

function withoutFile(cause: unknown): unknown {
  const isAbsent = cause instanceof RequestError && cause.problems[0]?.code === 'required';
  return isAbsent
    ? new S3Error('InvalidArgument', 'POST requires exactly one file upload per request.', {
        ArgumentName: 'file',
        ArgumentValue: '0',
      })
    : cause;
}
