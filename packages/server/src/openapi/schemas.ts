import { count, list, object, orNull, ref, seconds, secondsAhead, text } from './parts.js';
import type { Schema } from './types.js';

const key: Schema = { type: 'string', minLength: 1, maxLength: 1024 };
const anyObject: Schema = { type: 'object', additionalProperties: true };
const path: Schema = {
  type: 'string',
  minLength: 1,
  description: 'An attribute path: `home.city`, `tags.0`',
};

/** The members of an update (docs/http.md#update-item). */
const changes: Readonly<Record<string, Schema>> = {
  set: orNull({ ...anyObject, description: 'Path to value' }),
  increment: orNull({ type: 'object', additionalProperties: { type: 'number' } }),
  append: orNull({ type: 'object', additionalProperties: list({}) }),
  prepend: orNull({ type: 'object', additionalProperties: list({}) }),
  delete: orNull(list(path)),
  expires_in: orNull({ ...secondsAhead, description: 'For how many seconds from now on the item is kept' }),
};

const setOptions: Readonly<Record<string, Schema>> = {
  query: orNull(ref('Query')),
  limit: orNull({ type: 'integer', minimum: 1 }),
  dry_run: orNull({ type: 'boolean' }),
  all: orNull({ type: 'boolean', description: 'Must be true if the query matches every item' }),
};

const keyMembers: Readonly<Record<string, Schema>> = {
  name: { type: 'string', minLength: 1, maxLength: 100 },
  access: { enum: ['full', 'write', 'read'], default: 'full' },
  bases: list(text, { minItems: 1, maxItems: 100 }),
  drives: list(text, { minItems: 1, maxItems: 100 }),
  prefix: { type: 'string', minLength: 1, maxLength: 1024 },
  origins: list(text, { minItems: 1, maxItems: 20 }),
  requests_per_second: { type: 'number', minimum: 0.01, maximum: 1_000_000 },
};

/** A transaction has no members that are not described (docs/http.md#transactions). */
const oneOperation = (
  name: string,
  schema: Schema,
  others: Readonly<Record<string, Schema>> = {},
): Schema => ({
  ...object({ [name]: schema, ...others }, [name]),
  additionalProperties: false,
});

/** What bodies are made of, by the name under which the document has it. */
export const schemas: Readonly<Record<string, Schema>> = {
  Errors: object({ errors: list(text, { minItems: 1 }) }),
  MissingItem: object({ key: text }),
  NewItem: {
    type: 'object',
    description: 'A JSON document. Without `key`, it gets a generated one',
    properties: {
      key,
      __expires: { ...seconds, description: 'The second at which the item expires, since 1970 UTC' },
    },
    additionalProperties: true,
  },
  Item: {
    type: 'object',
    description: 'A JSON document with its key',
    properties: { key, __expires: seconds },
    required: ['key'],
    additionalProperties: true,
  },
  Condition: {
    ...anyObject,
    description: 'All of these hold: `"path": operand` or `"path?operator": operand`',
    examples: [{ 'age?gte': 37, 'tags?contains': 'math' }],
  },
  Query: {
    description: 'Items that match at least one of the conditions. Empty: all items',
    anyOf: [list(ref('Condition'), { maxItems: 1000 }), ref('Condition')],
  },
  Update: {
    ...object({ ...changes, if: orNull(ref('Query')) }, []),
    description:
      'At least one of `set`, `increment`, `append`, `prepend` and `delete` has an operation, or there is `expires_in`',
  },
  Updated: object({ key, ...changes }, ['key']),
  QueryOptions: object(
    {
      query: orNull(ref('Query')),
      limit: orNull({ type: 'integer', minimum: 1 }),
      last: orNull(text),
      sort: orNull({ enum: ['asc', 'desc', ''] }),
      order: orNull(list(path, { maxItems: 10 })),
      offset: orNull(count),
      count: orNull({ type: 'boolean' }),
      select: orNull(list(path, { maxItems: 1000 })),
    },
    [],
  ),
  Page: object({
    paging: object(
      {
        size: count,
        last: { ...text, description: 'Pass it as `last` to get the next page; absent at the end' },
        total: { ...count, description: 'With `count`: the number of all matches' },
      },
      ['size'],
    ),
    items: list(anyObject),
  }),
  SetOptions: object(setOptions, []),
  SetUpdate: object({ ...setOptions, ...changes }, []),
  Matched: object({ matched: count }),
  Deleted: object({ deleted: count }),
  SetUpdated: object(
    {
      updated: count,
      failed: list(object({ key, errors: list(text) }), { maxItems: 100 }),
      failed_count: count,
    },
    ['updated'],
  ),
  TransactionOperation: {
    oneOf: [
      oneOperation('put', ref('NewItem'), { expires_in: orNull(secondsAhead) }),
      oneOperation('insert', ref('NewItem'), { expires_in: orNull(secondsAhead) }),
      oneOperation('update', {
        ...object({ key, ...changes, if: orNull(ref('Query')) }, ['key']),
        additionalProperties: false,
      }),
      oneOperation('delete', {
        ...object({ key, if: orNull(ref('Query')) }, ['key']),
        additionalProperties: false,
      }),
      oneOperation('check', { ...object({ key, if: orNull(ref('Query')) }), additionalProperties: false }),
    ],
  },
  ImportLine: {
    description: 'A refused line, or at last the numbers',
    anyOf: [
      object({ line: { type: 'integer', minimum: 1 }, errors: list(text) }),
      object({ stored: count, failed: count, unreported: count }, ['stored', 'failed']),
    ],
  },

  Index: object({ name: text, fields: list(text), state: { enum: ['building', 'ready'] } }),

  StoredFile: object({ name: text, project_id: text, drive_name: text }),
  FileDetails: object(
    { name: text, size: count, content_type: text, modified: seconds, etag: text, expires: seconds },
    ['name', 'size', 'content_type', 'modified', 'etag'],
  ),
  Directory: { ...object({ name: { type: 'string', pattern: '/$' } }), additionalProperties: false },
  Paging: object({ size: count, last: text }),
  FileList: object(
    {
      paging: ref('Paging'),
      names: list(text),
      files: list({ anyOf: [ref('FileDetails'), ref('Directory')] }),
    },
    ['names'],
  ),
  FileChange: {
    ...object(
      {
        expires: { type: ['integer', 'null'] },
        expires_in: secondsAhead,
        content_type: { type: 'string', minLength: 1, maxLength: 255 },
      },
      [],
    ),
    minProperties: 1,
  },
  Transfer: object(
    {
      files: list(object({ from: text, to: text }), { minItems: 1, maxItems: 1000 }),
      overwrite: orNull({ type: 'boolean', default: false }),
    },
    ['files'],
  ),
  Upload: object({ name: text, upload_id: text, project_id: text, drive_name: text }),
  UploadedPart: object({
    name: text,
    upload_id: text,
    part: { type: 'integer', minimum: 1, maximum: 10_000 },
    project_id: text,
    drive_name: text,
  }),

  PublicPrefixes: object({
    prefixes: list({ type: 'string', pattern: '/$' }, { maxItems: 100 }),
    max_age: { type: 'integer', minimum: 0, maximum: 31_536_000 },
  }),
  NewPublicPrefixes: object(
    {
      prefixes: list({ type: 'string', pattern: '/$' }, { maxItems: 100 }),
      max_age: { type: ['integer', 'null'], minimum: 0, maximum: 31_536_000, default: 60 },
    },
    ['prefixes'],
  ),

  NewLinks: {
    ...object(
      {
        name: text,
        names: list(text, { minItems: 1, maxItems: 1000 }),
        method: { enum: ['GET', 'POST'] },
        expires_in: { type: 'integer', minimum: 1, maximum: 604_800 },
        disposition: { enum: ['inline', 'attachment'], description: '`GET` only' },
        max_bytes: { type: 'integer', minimum: 0, maximum: 10_485_760, description: '`POST` only' },
        content_type: { type: 'string', description: '`POST` only: `image/png`, `image/*`' },
        overwrite: { type: 'boolean', default: false, description: '`POST` only' },
      },
      ['method', 'expires_in'],
    ),
    description: 'With `name` or `names`',
  },
  Links: object({ links: list(object({ name: text, url: text, expires: seconds })) }),

  NewKey: object({ ...keyMembers, expires_in: { type: 'integer', minimum: 1, maximum: 315_360_000 } }, []),
  Key: object(
    {
      id: text,
      ...keyMembers,
      created: seconds,
      expires: seconds,
      last_used: {
        ...seconds,
        description: 'The beginning of the minute of the last use, in seconds since 1970 UTC',
      },
    },
    ['id', 'access', 'created'],
  ),
  OwnKey: object(
    {
      id: text,
      ...keyMembers,
      created: seconds,
      expires: seconds,
      last_used: seconds,
      manages_keys: { type: 'boolean' },
    },
    ['id', 'access', 'manages_keys'],
  ),
  CreatedKey: object({ id: text, key: text, ...keyMembers, created: seconds, expires: seconds }, [
    'id',
    'key',
    'access',
    'created',
  ]),

  Statistics: object({
    base: object({ items: count, bytes: count, exact: { type: 'boolean' } }),
    drive: object({ files: count, bytes: count, exact: { type: 'boolean' } }),
  }),
  Activity: object(
    {
      minutes: count,
      requests: count,
      failed: count,
      p50_ms: { type: 'number', minimum: 0 },
      p99_ms: { type: 'number', minimum: 0 },
    },
    ['minutes', 'requests', 'failed'],
  ),
};
