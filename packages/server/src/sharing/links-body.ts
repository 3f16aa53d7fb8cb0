import { nameProblem } from '../drive/files/name.js';
import { maxFileBytes, maxPartBytes, maxParts } from '../drive/limits.js';
import { readBody } from '../drive/request-body.js';
import {
  choiceOf,
  flagOf,
  listOf,
  objectOf,
  outlineOf,
  refuseOthers,
  textOf,
  wholeOf,
} from '../http/requests/bodies/members.js';
import {
  anyOf,
  closed,
  described,
  integer,
  list,
  named,
  object,
  oneOf,
  only,
  optional,
  string,
  text,
  truth,
} from '../json/schema.js';
import type { JsonObject, JsonValue } from '../json/value.js';
import type { Steps } from '../lib/concurrency/time-slices.js';
import { badField } from '../request-error.js';
import type { Link } from './link.js';

/** The links that a request asks for: one for each name. */
export interface LinksBody {
  readonly names: readonly string[];
  readonly expiresInSeconds: number;
  /** Whether the drive lists them, so that each can be ended. */
  readonly isListed: boolean;
  /** What all links have in common. */
  readonly allowed: Omit<Link, 'project' | 'drive' | 'name' | 'expiresAtSeconds' | 'id'>;
}

const maxNames = 1000;
/** The operator allows less. */
const maxLinkSeconds = 366 * 24 * 3600;
const members = {
  name: optional(text),
  names: optional(list(text, { minItems: 1, maxItems: maxNames })),
  expires_in: integer({
    minimum: 1,
    maximum: maxLinkSeconds,
    description: 'Seconds for which the links are valid: at most 7 days, unless the operator allows more',
  }),
  listed: optional(
    described(truth, 'Whether the drive lists the links, and can end each of them; default false'),
  ),
};

const dispositions = oneOf('inline', 'attachment');

/** The members that each method has. */
const requestFor = {
  GET: closed({
    ...members,
    method: only('GET'),
    disposition: optional(
      described(dispositions, 'Whether a browser shows or saves the file; default `inline`'),
    ),
  }),
  POST: closed({
    ...members,
    method: only('POST'),
    max_bytes: optional(
      integer({
        minimum: 0,
        maximum: maxParts * maxPartBytes,
        description:
          'The maximum size of the file, up to 10 MiB, which is the default; with `parts` more, and required',
      }),
    ),
    parts: optional(described(truth, 'Whether the file may be sent in parts; default false')),
    content_type: optional(string({ description: '`image/png` or `image/*`; default: any' })),
    overwrite: optional(described(truth, 'Whether an existing file is replaced; default false')),
  }),
};

export const CreateLinksRequest = named(
  'CreateLinksRequest',
  described(anyOf(requestFor.GET, requestFor.POST), 'Either `name` or `names`'),
);

const typeRule = /^[\w!#$&\-^.+]+\/(?:[\w!#$&\-^.+]+|\*)$/;

const readMethod = (value: JsonValue | undefined) => choiceOf(value, 'method', oneOf('GET', 'POST'));
const readList = (value: JsonValue | undefined) => listOf(value, 'names', members.names.optional, 'strings');
const readName = (value: JsonValue | undefined, path: string) => textOf(value, path, nameProblem);
const readExpiresIn = (value: JsonValue | undefined, maximum: number) =>
  wholeOf(value, 'expires_in', { ...members.expires_in, maximum });

/** Which other members there are depends on the method, which may come last. */
const outline = outlineOf(object(members), {
  names: readList,
  name: readName,
  method: readMethod,
  expires_in: (value) => readExpiresIn(value, maxLinkSeconds),
});

/**
 * Reads the body of Create Links (docs/http.md#create-links). A constraint that the method does not have is refused, so
 * that nobody relies on it. `maxSeconds`: for how long the operator allows them. Throws the 400 `RequestError` that names
 * the member that breaks a rule.
 */
export function* readLinksBody(body: Buffer, maxSeconds = maxLinkSeconds): Steps<LinksBody> {
  const value = objectOf(yield* readBody(body, { outline }));
  const method = readMethod(value.get('method'));
  refuseOthers(value, requestFor[method], { rule: `is not a member of a request for ${method} links` });
  return {
    names: readNames(value),
    expiresInSeconds: readExpiresIn(value.get('expires_in'), maxSeconds),
    isListed: flagOf(value.get('listed') ?? false, 'listed'),
    allowed: method === 'GET' ? { method, ...readDownload(value) } : { method, ...readUpload(value) },
  };
}

function readNames(value: JsonObject): readonly string[] {
  const [name, names] = [value.get('name'), value.get('names')];
  if ((name === undefined) === (names === undefined))
    throw badField('name', name === undefined ? 'required' : 'contradiction', 'give either name or names');
  if (name !== undefined) return [readName(name, 'name')];
  return readList(names).map((each, index) => readName(each, `names[${index}]`));
}

function readDownload(value: JsonObject): Pick<Link, 'disposition'> {
  const disposition = value.has('disposition') ? value.get('disposition') : 'inline';
  return { disposition: choiceOf(disposition, 'disposition', dispositions) };
}

function readUpload(value: JsonObject): Pick<Link, 'maxBytes' | 'contentType' | 'overwrite' | 'parts'> {
  const parts = value.has('parts') && flagOf(value.get('parts') as JsonValue, 'parts');
  return {
    // A text for each link of those that are not in parts stays as it was.
    ...(parts && { parts }),
    maxBytes: readMaxBytes(value.get('max_bytes'), parts),
    contentType: readType(value.get('content_type')),
    overwrite: value.has('overwrite') && flagOf(value.get('overwrite') as JsonValue, 'overwrite'),
  };
}

function readMaxBytes(value: JsonValue | undefined, parts: boolean): number {
  const { max_bytes: schema } = requestFor.POST.properties;
  if (value === undefined && !parts) return maxFileBytes;
  if (value === undefined) throw badField('max_bytes', 'required', 'is required with parts');
  return wholeOf(value, 'max_bytes', parts ? schema : { ...schema, maximum: maxFileBytes });
}

function readType(value: JsonValue | undefined): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'string' && value.length <= 255 && typeRule.test(value)) return value.toLowerCase();
  const code = typeof value === 'string' ? 'invalid_value' : 'wrong_type';
  throw badField('content_type', code, 'must be a type such as image/png, or image/*');
}
