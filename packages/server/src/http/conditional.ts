import type { IncomingHttpHeaders } from 'node:http';
import fresh from 'fresh';

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
  // Without `Cache-Control: no-cache` of the request, which is for caches and which `fresh` would obey.
  const conditions = {
    'if-none-match': headers['if-none-match'],
    'if-modified-since': headers['if-modified-since'],
  };
  return fresh(conditions, { etag, 'last-modified': lastModified }) ? 'not modified' : 'proceed';
}

/** Whether Range applies: If-Range is absent, or names exactly the present bytes. */
export function rangeApplies(headers: IncomingHttpHeaders, { etag, lastModified }: Validators): boolean {
  const ifRange = headers['if-range']?.toString().trim();
  return ifRange === undefined || ifRange === etag || ifRange === lastModified;
}

/** Weak tags do not distinguish bytes, so they never match here. */
function namesStrongly(header: string, etag: string): boolean {
  return header.split(',').some((tag) => tag.trim() === '*' || tag.trim() === etag);
}
