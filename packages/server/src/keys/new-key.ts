import type { Limits } from '../access/grant.js';
import { type KeyAccess, keyAccesses } from '../access/rights.js';
import type { Outline } from '../json/outline.js';
import { JsonError, readJson } from '../json/parse.js';
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
} from '../json/schema.js';
import { JsonNumber, type JsonObject, type JsonValue } from '../json/value.js';
import { hasControlCharacter } from '../lib/control-characters.js';
import type { Steps } from '../lib/time-slices.js';
import { badRequest } from '../request-error.js';

/** What a new key is to be (docs/http.md#create-key). What is absent is not limited. */
export interface NewKeyOptions extends Omit<Limits, 'expiresAtSeconds'> {
  /** What people call it. */
  readonly name?: string | undefined;
  readonly expiresInSeconds?: number | undefined;
}

/** The maximum number of keys that a project may have. All keys are in memory. */
export const maxKeysPerProject = 1000;
export const maxKeyBodyBytes = 2 * 1024 * 1024;

const maxNameCharacters = 100;
const maxNames = 100;
const maxBaseNameBytes = 255;
const maxPrefixBytes = 1024;
const maxOrigins = 20;
const maxOriginCharacters = 300;
/** Of `bases`, `drives` and `origins` together: a project has up to a thousand keys, and all of them are in memory. */
const maxListedBytes = 8192;
const maxExpiresInSeconds = 10 * 365 * 24 * 3600;
const maxRequestsPerSecond = 1_000_000;
const minRequestsPerSecond = 0.01;
const maxShown = 100;

/** The members that say what a key may do, and what it is called: of requests and answers. */
export const keyMembers = {
  name: optional(
    string({ minLength: 1, maxLength: maxNameCharacters, description: 'What people call the key' }),
  ),
  access: optional(named('Access', described(oneOf(...keyAccesses), 'Each includes those after it'))),
  bases: optional(
    list(text, {
      minItems: 1,
      maxItems: maxNames,
      description: 'Names of bases. One that ends in `*` stands for all names that begin so',
    }),
  ),
  drives: optional(
    list(text, {
      minItems: 1,
      maxItems: maxNames,
      description: 'As `bases`. A key with one of both lists reaches nothing of the other kind',
    }),
  ),
  prefix: optional(
    string({
      minLength: 1,
      maxLength: maxPrefixBytes,
      description: 'What the keys of items and the names of files begin with',
    }),
  ),
  origins: optional(
    list(text, {
      minItems: 1,
      maxItems: maxOrigins,
      description: 'The origins of web pages that may use the key: `https://shop.example`',
    }),
  ),
  requests_per_second: optional(number({ minimum: minRequestsPerSecond, maximum: maxRequestsPerSecond })),
};

export const CreateKeyRequest = closed(
  {
    ...keyMembers,
    expires_in: optional(
      integer({
        minimum: 1,
        maximum: maxExpiresInSeconds,
        description: 'Seconds from now on for which the key is valid',
      }),
    ),
  },
  { description: 'What is absent is not limited. Without `access`: `full`' },
);

/** What each member must be. */
const rules = {
  name: `must be a text of 1 to ${maxNameCharacters} characters without control characters`,
  access: 'must be full, write or read',
  bases: `must be a list of 1 to ${maxNames} names`,
  drives: `must be a list of 1 to ${maxNames} names`,
  prefix: `must be a text of 1 to ${maxPrefixBytes} bytes of UTF-8 without control characters`,
  expires_in: `must be a whole number of seconds from 1 to ${maxExpiresInSeconds}`,
  origins: `must be a list of 1 to ${maxOrigins} origins`,
  requests_per_second: `must be a number from ${minRequestsPerSecond} to ${maxRequestsPerSecond}`,
};
type Member = keyof typeof rules;
const members = Object.keys(rules) as Member[];
const mostOf: Partial<Record<Member, number>> = { bases: maxNames, drives: maxNames, origins: maxOrigins };

const outline: Outline = {
  members: new Map(
    members.map((member) => [member, { most: mostOf[member] ?? 0, problem: () => broken(member) }]),
  ),
  unknown: (member) => badRequest(`${member.slice(0, maxShown)}: is not a member of this request`),
};

function broken(member: Member): Error {
  return badRequest(`${member}: ${rules[member]}`);
}

/**
 * Reads the body of Create Key (docs/http.md#create-key). An empty body asks for a key without limits. Throws the 400
 * `RequestError` that names the member that breaks a rule.
 */
export function* readNewKey(body: Buffer): Steps<NewKeyOptions> {
  const value = body.length === 0 ? new Map() : yield* readValue(body);
  if (!(value instanceof Map)) throw badRequest('body: must be a JSON object');
  const lists = readLists(value);
  return {
    name: readText(value, 'name', isName),
    access: readAccess(value),
    ...lists,
    prefix: readText(value, 'prefix', isPrefix),
    expiresInSeconds: readExpiresIn(value),
    requestsPerSecond: readRate(value),
  };
}

/** The limits that are stored; undefined for a key without limits. */
export function limitsOf(
  { name: _, expiresInSeconds, ...limits }: NewKeyOptions,
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

function* readValue(body: Buffer): Steps<JsonValue> {
  try {
    return yield* readJson(body, {
      maxDepth: 10,
      maxValues: 204_800,
      maxStringCharacters: maxKeyBodyBytes,
      numbers: 'short',
      outline,
    });
  } catch (cause) {
    if (cause instanceof JsonError) throw badRequest(`body: ${cause.message}`);
    throw cause;
  }
}

function readText(
  value: JsonObject,
  member: Member,
  isAllowed: (text: string) => boolean,
): string | undefined {
  const text = value.get(member);
  if (text === undefined) return undefined;
  if (typeof text !== 'string' || !isAllowed(text)) throw broken(member);
  return text;
}

function isName(text: string): boolean {
  return text.length >= 1 && text.length <= maxNameCharacters && !hasControlCharacter(text);
}

function isPrefix(text: string): boolean {
  return text !== '' && Buffer.byteLength(text) <= maxPrefixBytes && !hasControlCharacter(text);
}

function readAccess(value: JsonObject): KeyAccess {
  if (!value.has('access')) return 'full';
  const access = keyAccesses.find((one) => one === value.get('access'));
  if (access === undefined) throw broken('access');
  return access;
}

function readLists(value: JsonObject): Pick<NewKeyOptions, 'bases' | 'drives' | 'origins'> {
  const lists = {
    bases: readNames(value, 'bases'),
    drives: readNames(value, 'drives'),
    origins: readOrigins(value),
  };
  let bytes = 0;
  for (const [member, texts = []] of Object.entries(lists)) {
    for (const text of texts) bytes += Buffer.byteLength(text);
    if (bytes > maxListedBytes) {
      throw badRequest(
        `${member}: bases, drives and origins must have at most ${maxListedBytes} bytes of UTF-8 together`,
      );
    }
  }
  return lists;
}

/** Reads a list of names of bases or drives, each of which may end in `*`. */
function readNames(value: JsonObject, member: Member): readonly string[] | undefined {
  const list = value.get(member);
  if (list === undefined) return undefined;
  return readList(list, member, {
    isAllowed: (name) =>
      name !== '' && Buffer.byteLength(name) <= maxBaseNameBytes && !hasControlCharacter(name),
    rule: `must be a name of 1 to ${maxBaseNameBytes} bytes of UTF-8 without control characters`,
  });
}

function readOrigins(value: JsonObject): readonly string[] | undefined {
  const list = value.get('origins');
  if (list === undefined) return undefined;
  return readList(list, 'origins', {
    isAllowed: isOrigin,
    rule: 'must be an origin as browsers send it, such as https://shop.example',
  });
}

/** The rule of each element. */
interface ListRule {
  readonly isAllowed: (text: string) => boolean;
  readonly rule: string;
}

function readList(list: JsonValue, member: Member, { isAllowed, rule }: ListRule): readonly string[] {
  if (!Array.isArray(list) || list.length < 1) throw broken(member);
  const texts = new Set<string>();
  for (const [index, text] of list.entries()) {
    if (typeof text !== 'string' || !isAllowed(text)) throw badRequest(`${member}[${index}]: ${rule}`);
    texts.add(text);
  }
  return [...texts];
}

function isOrigin(text: string): boolean {
  return (
    text.length <= maxOriginCharacters &&
    /^https?:/.test(text) &&
    URL.canParse(text) &&
    new URL(text).origin === text
  );
}

function readExpiresIn(value: JsonObject): number | undefined {
  const seconds = value.get('expires_in');
  if (seconds === undefined) return undefined;
  const read = seconds instanceof JsonNumber ? Number(seconds.text) : Number.NaN;
  if (Number.isInteger(read) && read >= 1 && read <= maxExpiresInSeconds) return read;
  throw broken('expires_in');
}

function readRate(value: JsonObject): number | undefined {
  const rate = value.get('requests_per_second');
  if (rate === undefined) return undefined;
  const read = rate instanceof JsonNumber ? Number(rate.text) : Number.NaN;
  if (read >= minRequestsPerSecond && read <= maxRequestsPerSecond) return read;
  throw broken('requests_per_second');
}
