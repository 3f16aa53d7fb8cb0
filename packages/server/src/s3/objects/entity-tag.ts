import type { FileCondition } from '../../drive/files/put-file.js';
import type { FileRow } from '../../drive/rows.js';
import { checkConditions } from '../../http/answers/conditional.js';
import { S3Error } from '../errors.js';
import type { S3Request } from '../request.js';

/**
 * The ETag of a file, with its quotes: the MD5 of what was written whole by S3, `…-N` for what was written in parts. The
 * `-1` of other files tells clients that it is no MD5.
 */
export function entityTagOf({ id, md5 }: Pick<FileRow, 'id' | 'md5'>): string {
  return `"${md5 ?? `${id}-1`}"`;
}

/** Clients may leave out the quotes of a tag. */
function names(tags: string, file: FileRow): boolean {
  const tag = entityTagOf(file);
  const given = tags.match(/"[^"]*"|[^\s,"]+/g) ?? [];
  return given.some((one) => one === '*' || one === tag || `"${one}"` === tag);
}

/** What a write demands of the file that it replaces. */
export function writeCondition({ field }: S3Request): FileCondition | undefined {
  const ifMatch = field('if-match');
  const ifNoneMatch = field('if-none-match');
  if (ifMatch === undefined && ifNoneMatch === undefined) return undefined;
  return (_, file) => {
    if (ifMatch !== undefined) {
      if (file === undefined) return new S3Error('NoSuchKey');
      if (!names(ifMatch, file))
        return new S3Error('PreconditionFailed', undefined, { Condition: 'If-Match' });
    }
    if (ifNoneMatch === undefined || file === undefined || !names(ifNoneMatch, file)) return undefined;
    return new S3Error('PreconditionFailed', undefined, { Condition: 'If-None-Match' });
  };
}

/** What a delete says of the file. Undefined members say nothing. */
interface DeleteTerms {
  readonly tag: string | undefined;
  /** Tags that it must not have. */
  readonly otherTags?: string | undefined;
  /** Its time, to the second. */
  readonly modified: string | undefined;
  readonly size: string | undefined;
}

/** What a delete demands of the file. One that is not there is deleted already. Throws `InvalidArgument`. */
export function deleteCondition(terms: DeleteTerms): FileCondition | undefined {
  const { tag, otherTags, modified, size } = terms;
  if (Object.values(terms).every((term) => term === undefined)) return undefined;
  const seconds = modified === undefined ? undefined : Math.floor(Date.parse(modified) / 1000);
  if (Number.isNaN(seconds)) throw new S3Error('InvalidArgument', 'The last modified time must be a date');
  return (_, file) => {
    if (file === undefined) return undefined;
    const isMet =
      (tag === undefined || names(tag, file)) &&
      (otherTags === undefined || !names(otherTags, file)) &&
      (seconds === undefined || seconds === Math.floor(file.modifiedMs / 1000)) &&
      (size === undefined || Number(size) === file.sizeBytes);
    return isMet ? undefined : new S3Error('PreconditionFailed');
  };
}

const conditionNames = ['if-match', 'if-none-match', 'if-modified-since', 'if-unmodified-since'] as const;

/** The conditions of a read. `prefix`: what their names begin with. */
export function readCondition(
  { field }: S3Request,
  file: FileRow,
  prefix = '',
): 'proceed' | 'not modified' | 'failed' {
  if (conditionNames.every((name) => field(prefix + name) === undefined)) return 'proceed';
  const quoted = (name: string) =>
    field(prefix + name)
      ?.split(',')
      .map((tag) => (/^\s*(?:\*|W\/.*|".*")\s*$/.test(tag) ? tag : `"${tag.trim()}"`))
      .join(',');
  const headers = {
    'if-match': quoted('if-match'),
    'if-none-match': quoted('if-none-match'),
    'if-modified-since': field(`${prefix}if-modified-since`),
    'if-unmodified-since': field(`${prefix}if-unmodified-since`),
  };
  const given = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));
  return checkConditions(given, {
    etag: entityTagOf(file),
    lastModified: new Date(file.modifiedMs).toUTCString(),
  });
}
