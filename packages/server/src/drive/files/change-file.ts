import type { Change } from '../../engines/item-store.js';
import { readExpiresIn, secondsAhead } from '../../http/parameters/expires-in.js';
import { objectOf, refuseOthers, wholeOf } from '../../http/requests/bodies/members.js';
import { seconds } from '../../http/routing/operation.js';
import {
  closed,
  described,
  integer,
  named,
  nullable,
  optional,
  record,
  string,
  text,
} from '../../json/schema.js';
import type { JsonValue } from '../../json/value.js';
import { nowSeconds } from '../../lib/clock.js';
import type { Steps } from '../../lib/concurrency/time-slices.js';
import { badField, type RequestError, refused } from '../../request-error.js';
import type { DriveContext } from '../context.js';
import { readBody } from '../request-body.js';
import { expiryOf, type FileRow, fileRow, liveFile, nameKey } from '../rows.js';
import { changedMetadata, isSameMetadata, type MetadataChanges, readMetadataChanges } from './metadata.js';

export const expiresRule = 'whole seconds since 1970 UTC';
export const safeInteger = integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

export function eitherExpiry(): RequestError {
  return badField('expires', 'contradiction', 'must not be given together with expires_in');
}

export const ChangeFileRequest = named(
  'ChangeFileRequest',
  closed(
    {
      expires: optional(
        described(nullable(seconds), 'Whole seconds since 1970 UTC; null: the file does not expire'),
      ),
      expires_in: optional(described(secondsAhead, 'Or for how many seconds from now on the file is kept')),
      content_type: optional(string({ minLength: 1, maxLength: 255 })),
      metadata: optional(
        described(
          nullable(record(nullable(text))),
          'What to note of the file. null takes a name away, or all',
        ),
      ),
    },
    { minProperties: 1 },
  ),
);

/** A text that is allowed as the value of a header. */
const printable = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/;

/**
 * Reads the body of Change File (docs/http.md#change-file). Throws the 400 `RequestError` that names the member that
 * breaks a rule.
 */
export function* readFileChanges(body: Buffer): Steps<FileChanges> {
  const value = objectOf(yield* readBody(body));
  refuseOthers(value, ChangeFileRequest);
  if (value.size === 0)
    throw refused('empty', 'body: must have expires, expires_in, content_type or metadata');
  const about = {
    contentType: readContentType(value.get('content_type')),
    metadata: readMetadataChanges(value.get('metadata')),
  };
  const expires = value.get('expires');
  const expiresInSeconds = readExpiresIn(value.get('expires_in'));
  if (expiresInSeconds !== undefined) {
    if (expires !== undefined) throw eitherExpiry();
    return { ...about, expiresInSeconds };
  }
  if (expires === undefined || expires === null) return { ...about, expiresAtSeconds: expires };
  const rule = `${expiresRule} or null`;
  return { ...about, expiresAtSeconds: wholeOf(expires, 'expires', safeInteger, rule) };
}

function readContentType(value: JsonValue | undefined): string | undefined {
  if (value === undefined || (typeof value === 'string' && printable.test(value))) return value;
  const rule = 'must be a text of 1 to 255 printable ASCII characters';
  throw badField('content_type', typeof value === 'string' ? 'invalid_value' : 'wrong_type', rule);
}

/** The changes of a file. What is undefined stays as it is. */
export interface FileChanges {
  readonly contentType?: string | undefined;
  readonly metadata?: MetadataChanges | undefined;
  /** Whole seconds since 1970 UTC; null if the file is not to expire. */
  readonly expiresAtSeconds?: number | null | undefined;
  /** For how many seconds from now on the file exists. */
  readonly expiresInSeconds?: number | undefined;
}

/**
 * Changes when a file expires, its content type, or its metadata. Gives the changed file, or undefined if there is none.
 * Throws the 400 `RequestError` of metadata that is too large.
 */
export async function changeFile(
  { items, clock }: Pick<DriveContext, 'items' | 'clock'>,
  space: string,
  name: string,
  { contentType, metadata: metadataChanges, expiresAtSeconds, expiresInSeconds }: FileChanges,
): Promise<FileRow | undefined> {
  const key = nameKey(name);
  return await items.transact(space, [key], ([row]): Change<FileRow | undefined> => {
    const file = liveFile(row, nowSeconds(clock));
    if (file === undefined) return { result: undefined };
    const expires = expiryOf(
      { expiresAtSeconds: expiresAtSeconds ?? undefined, expiresInSeconds },
      nowSeconds(clock),
    );
    const metadata = changedMetadata(file.metadata, metadataChanges);
    const isNewType = contentType !== undefined && contentType !== file.contentType;
    const isAnother = isNewType || !isSameMetadata(metadata, file.metadata);
    const changed: FileRow = {
      ...file,
      contentType: contentType ?? file.contentType,
      expiresAtSeconds: expiresAtSeconds === null ? undefined : (expires ?? file.expiresAtSeconds),
      metadata,
      revision: isAnother ? (file.revision ?? 0) + 1 : file.revision,
    };
    return { puts: [fileRow(name, changed)], result: changed };
  });
}
