import type { IncomingHttpHeaders } from 'node:http';
import fresh from 'fresh';
import { badField, type RequestError } from '../../request-error.js';
import { inHead } from '../routing/operation.js';

/** What the conditions of a request are compared with. */
export interface Validators {
  /** Strong, with its quotes. */
  readonly etag: string;
  /** An HTTP date: whole seconds. */
  readonly lastModified: string;
}

/** The preconditions of a GET, in the order of RFC 9110, 13.2.2, without If-Range: docs/http.md#conditions. */
export function checkConditions(
  headers: IncomingHttpHeaders,
  { etag, lastModified }: Validators,
): 'proceed' | 'not modified' | 'failed' {
  const { 'if-match': ifMatch, 'if-unmodified-since': ifUnmodifiedSince } = headers;
  if (ifMatch !== undefined) {
    if (!namesStrongly(ifMatch, etag)) return 'failed';
  } else if (ifUnmodifiedSince !== undefined && Date.parse(lastModified) > Date.parse(ifUnmodifiedSince)) {
    return 'failed';
  }
  const { 'if-none-match': ifNoneMatch, 'if-modified-since': ifModifiedSince } = headers;
  if (ifNoneMatch === undefined && ifModifiedSince === undefined) return 'proceed';
  // Without the request's `Cache-Control: no-cache`: it is meant for caches, but `fresh` would obey it.
  const conditions = { 'if-none-match': ifNoneMatch, 'if-modified-since': ifModifiedSince };
  return fresh(conditions, { etag, 'last-modified': lastModified }) ? 'not modified' : 'proceed';
}

/** Whether Range applies: If-Range is absent, or names exactly the current bytes. */
export function rangeApplies(headers: IncomingHttpHeaders, { etag, lastModified }: Validators): boolean {
  const ifRange = headers['if-range']?.toString().trim();
  return ifRange === undefined || ifRange === etag || ifRange === lastModified;
}

export const conditionParameters = [
  inHead('If-None-Match', '`*`: only if there is no such file. ETags: unless the file has one of them'),
  inHead('If-Match', '`*`: only if there is such a file. ETags: only if the file has one of them'),
];

/**
 * What a write demands of the file that it replaces. Takes that file's ETag, undefined without a file, and gives the 412
 * of one that does not meet it.
 */
export type WriteCondition = (etag: string | undefined) => RequestError | undefined;

const entityTags = /^\s*(?:W\/)?"[^"]*"\s*(?:,\s*(?:W\/)?"[^"]*"\s*)*$/;

/**
 * The preconditions of a write, undefined without any: docs/http.md#conditional-writes. Throws the 400 `RequestError`
 * of a malformed header.
 */
export function readWriteCondition(headers: IncomingHttpHeaders): WriteCondition | undefined {
  const ifMatch = readTags('If-Match', headers['if-match']);
  const ifNoneMatch = readTags('If-None-Match', headers['if-none-match']);
  if (ifMatch === undefined && ifNoneMatch === undefined) return undefined;
  return (etag) => {
    if (ifMatch !== undefined) {
      if (etag === undefined) return unmet('If-Match', 'the file does not exist');
      if (!namesStrongly(ifMatch, etag)) return unmet('If-Match', 'the file is another one');
    }
    if (ifNoneMatch === undefined || etag === undefined) return undefined;
    if (ifNoneMatch === '*') return unmet('If-None-Match', 'the file exists');
    return namesStrongly(ifNoneMatch.replaceAll('W/', ''), etag)
      ? unmet('If-None-Match', 'the file is this one')
      : undefined;
  };
}

function unmet(header: string, rule: string): RequestError {
  return badField(header, 'condition_failed', rule);
}

function readTags(header: string, text: string | undefined): string | undefined {
  const value = text?.trim();
  if (value === undefined || value === '*' || entityTags.test(value)) return value;
  throw badField(header, 'invalid_value', 'must be * or ETags in quotes');
}

/** Weak tags do not distinguish bytes, so they never match here. A tag may contain commas. */
function namesStrongly(header: string, etag: string): boolean {
  return header.trim() === '*' || header.match(/(?:W\/)?"[^"]*"/g)?.includes(etag) === true;
}
