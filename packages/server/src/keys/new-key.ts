import type { Limits } from '../access/grant.js';
import { keyAccesses } from '../access/rights.js';
import {
  choiceOf,
  flagOf,
  listOf,
  membersOf,
  objectOf,
  outlineOf,
  parseBody,
  textOf,
  wholeOf,
} from '../http/requests/bodies/members.js';
import type { JsonRules } from '../json/parse.js';
import {
  closed,
  described,
  integer,
  list,
  named,
  number,
  oneOf,
  optional,
  string,
  text,
  truth,
} from '../json/schema.js';
import { JsonNumber, type JsonValue } from '../json/value.js';
import type { Steps } from '../lib/concurrency/time-slices.js';
import { hasControlCharacter } from '../lib/text/control-characters.js';
import { badField, broken } from '../request-error.js';

/** What a new key is to be (docs/http.md#create-key). What is absent is not limited. */
export interface NewKeyOptions extends Omit<Limits, 'expiresAtSeconds'> {
  /** What people call it. */
  readonly name?: string | undefined;
  readonly expiresInSeconds?: number | undefined;
  /** Whether S3 clients may use it, too (docs/s3.md). */
  readonly s3?: boolean | undefined;
}

/** The request of docs/http.md#create-key. */
export interface NewKeyRequest extends NewKeyOptions {
  readonly isStored: boolean;
}

/** The maximum number of keys without limits that a project may have: they are in memory. */
export const maxKeysPerProject = 1000;
export const maxKeyBodyBytes = 2 * 1024 * 1024;

const maxNameCharacters = 100;
const maxNames = 100;
const maxBaseNameBytes = 255;
const maxPrefixBytes = 1024;
const maxOrigins = 20;
const maxOriginCharacters = 300;
/** Of `bases`, `drives` and `origins` together: a page of the list has a thousand keys. */
const maxListedBytes = 8192;
const maxExpiresInSeconds = 10 * 365 * 24 * 3600;
const maxRequestsPerSecond = 1_000_000;
const minRequestsPerSecond = 0.01;

const access = named('Access', described(oneOf(...keyAccesses), 'Each includes those after it'));
const names = list(text, { minItems: 1, maxItems: maxNames });
const origins = list(text, {
  minItems: 1,
  maxItems: maxOrigins,
  description: 'The origins of web pages that may use the key: `https://shop.example`',
});
const expiresIn = integer({
  minimum: 1,
  maximum: maxExpiresInSeconds,
  description: 'Seconds from now on for which the key is valid',
});

/** The members that say what a key may do, and what it is called: of requests and answers. */
export const keyMembers = {
  name: optional(
    string({ minLength: 1, maxLength: maxNameCharacters, description: 'What people call the key' }),
  ),
  access: optional(access),
  bases: optional(
    described(names, 'Names of bases. One that ends in `*` stands for all names that begin so'),
  ),
  drives: optional(
    described(names, 'As `bases`. A key with one of both lists reaches nothing of the other kind'),
  ),
  prefix: optional(
    string({
      minLength: 1,
      maxLength: maxPrefixBytes,
      description: 'What the keys of items and the names of files begin with',
    }),
  ),
  origins: optional(origins),
  requests_per_second: optional(number({ minimum: minRequestsPerSecond, maximum: maxRequestsPerSecond })),
};

/** The longest time for which a key that is not stored is valid. */
const maxSignedSeconds = 24 * 3600;
/** Of its limits as JSON: each request carries them. */
const maxSignedBytes = 1024;
const stored = described(
  truth,
  'false: the key is signed and not stored. It is in no list, and ends with the key that made it',
);

export const CreateKeyRequest = closed(
  {
    ...keyMembers,
    expires_in: optional(expiresIn),
    stored: optional(stored),
    s3: optional(described(truth, 'Whether the key gets S3 credentials, too: docs/s3.md')),
  },
  { description: 'What is absent is not limited. Without `access`: `full`' },
);

/** Reads a text. All of its rules are one for people. */
function limitedText(
  rule: string,
  most: number,
  sizeOf: (text: string) => number = Buffer.byteLength,
): (given: JsonValue, member: string) => string {
  const problemOf = (text: string) => {
    if (text === '') return broken('empty', rule);
    if (sizeOf(text) > most) return broken('too_long', rule);
    return hasControlCharacter(text) ? broken('invalid_text', rule) : undefined;
  };
  return (given, member) => textOf(given, member, problemOf, rule);
}

const readName = limitedText(
  `must be a text of 1 to ${maxNameCharacters} characters without control characters`,
  maxNameCharacters,
  (text) => text.length,
);
const readPrefix = limitedText(
  `must be a text of 1 to ${maxPrefixBytes} bytes of UTF-8 without control characters`,
  maxPrefixBytes,
);
const readBaseName = limitedText(
  `must be a name of 1 to ${maxBaseNameBytes} bytes of UTF-8 without control characters`,
  maxBaseNameBytes,
);

/** Reads a list of names of bases or drives, each of which may end in `*`. */
function readNames(given: JsonValue, member: string): readonly string[] {
  return distinct(listOf(given, member, names, 'names'), member, readBaseName);
}

const originRule = 'must be an origin as browsers send it, such as https://shop.example';

function readOrigins(given: JsonValue, member: string): readonly string[] {
  const problemOf = (text: string) => (isOrigin(text) ? undefined : broken('invalid_value', originRule));
  return distinct(listOf(given, member, origins, 'origins'), member, (text, path) =>
    textOf(text, path, problemOf, originRule),
  );
}

function distinct(
  list: readonly JsonValue[],
  member: string,
  read: (given: JsonValue, path: string) => string,
): readonly string[] {
  return [...new Set(list.map((given, index) => read(given, `${member}[${index}]`)))];
}

function isOrigin(text: string): boolean {
  return (
    text.length <= maxOriginCharacters &&
    /^https?:/.test(text) &&
    URL.canParse(text) &&
    new URL(text).origin === text
  );
}

function requireFewBytes(lists: Readonly<Record<string, readonly string[] | undefined>>): void {
  let bytes = 0;
  for (const [member, texts = []] of Object.entries(lists)) {
    for (const text of texts) bytes += Buffer.byteLength(text);
    if (bytes <= maxListedBytes) continue;
    const rule = `bases, drives and origins must have at most ${maxListedBytes} bytes of UTF-8 together`;
    throw badField(member, 'too_long', rule);
  }
}

function readExpiresIn(given: JsonValue, member: string): number {
  return wholeOf(given, member, expiresIn, `a whole number of seconds from 1 to ${maxExpiresInSeconds}`);
}

function readRate(given: JsonValue, member: string): number {
  const isNumber = given instanceof JsonNumber;
  const rate = isNumber ? Number(given.text) : Number.NaN;
  if (rate >= minRequestsPerSecond && rate <= maxRequestsPerSecond) return rate;
  const rule = `must be a number from ${minRequestsPerSecond} to ${maxRequestsPerSecond}`;
  throw badField(member, isNumber ? 'out_of_range' : 'wrong_type', rule);
}

/** The lists first: the sum of their bytes is limited. */
const listReaders = { bases: readNames, drives: readNames, origins: readOrigins };
const readers = {
  name: readName,
  access: (given: JsonValue, member: string) => choiceOf(given, member, access),
  prefix: readPrefix,
  expires_in: readExpiresIn,
  requests_per_second: readRate,
  s3: flagOf,
  stored: flagOf,
};

const bodyRules: JsonRules = {
  maxDepth: 10,
  maxValues: 204_800,
  maxStringCharacters: maxKeyBodyBytes,
  numbers: 'short',
  outline: outlineOf(CreateKeyRequest, { ...listReaders, ...readers }),
};

/**
 * Reads the body of Create Key (docs/http.md#create-key). An empty body asks for a key without limits. Throws the 400
 * `RequestError` that names the member that breaks a rule.
 */
export function* readNewKey(body: Buffer): Steps<NewKeyRequest> {
  const value = body.length === 0 ? new Map() : objectOf(yield* parseBody(body, bodyRules));
  const lists = membersOf(value, listReaders);
  requireFewBytes(lists);
  const {
    expires_in: expiresInSeconds,
    requests_per_second: requestsPerSecond,
    stored: isStored = true,
    ...others
  } = membersOf(value, readers);
  const options = { access: 'full' as const, ...lists, ...others, expiresInSeconds, requestsPerSecond };
  if (!isStored) requireSignable(options);
  return { ...options, isStored };
}

function requireSignable({ expiresInSeconds, ...options }: NewKeyOptions): void {
  const rule = `must be 1 to ${maxSignedSeconds} for a key that is not stored`;
  if (options.s3) throw badField('s3', 'contradiction', 'must not be given for a key that is not stored');
  if (expiresInSeconds === undefined) throw badField('expires_in', 'required', rule);
  if (expiresInSeconds > maxSignedSeconds) throw badField('expires_in', 'out_of_range', rule);
  if (Buffer.byteLength(JSON.stringify(options)) > maxSignedBytes) {
    const bytes = `the limits of a key that is not stored must have at most ${maxSignedBytes} bytes as JSON`;
    throw badField('stored', 'too_long', bytes);
  }
}

/** Whether a new key is to have limits. */
export function isLimited(options: NewKeyOptions): boolean {
  return limitsOf(options, 0) !== undefined;
}

/** The limits that are stored; undefined for a key without limits. */
export function limitsOf(
  { name: _, s3: _s3, expiresInSeconds, ...limits }: NewKeyOptions,
  nowSeconds: number,
): Limits | undefined {
  const { access, ...others } = limits;
  const isLimited =
    expiresInSeconds !== undefined || Object.values(others).some((limit) => limit !== undefined);
  if (access === 'full' && !isLimited) return undefined;
  return {
    ...limits,
    expiresAtSeconds: expiresInSeconds === undefined ? undefined : nowSeconds + expiresInSeconds,
  };
}
