import type { IncomingMessage } from 'node:http';

/** `*`, or the origins that browsers may call from. */
export type CorsOrigins = '*' | readonly string[];

const exposed =
  'Content-Range, Content-Length, Accept-Ranges, ETag, Last-Modified, Preference-Applied, X-Request-Id, Retry-After';
const allowedHeaders =
  'X-API-Key, Content-Type, Range, If-Match, If-None-Match, If-Modified-Since, If-Unmodified-Since, If-Range, Prefer, X-Request-Id, traceparent, tracestate';
const preflightSeconds = '86400';
const none: readonly string[] = [];

/** The headers of answers that the pages of every origin may read, whatever the operator allows for the others. */
export const anyOrigin = [
  'Access-Control-Allow-Origin',
  '*',
  'Access-Control-Expose-Headers',
  exposed,
] as const;

/** The headers that allow a browser to show the answer to the page that requested it (docs/http.md#browsers). */
export function corsHeaders(request: IncomingMessage, origins: CorsOrigins): readonly string[] {
  const { origin } = request.headers;
  if (origins === '*') {
    return origin === undefined ? none : anyOrigin;
  }
  if (origin === undefined || !origins.includes(origin)) return ['Vary', 'Origin'];
  return ['Access-Control-Allow-Origin', origin, 'Access-Control-Expose-Headers', exposed, 'Vary', 'Origin'];
}

/** What the paths of files begin with that pages of every origin may read. */
export const publicRoot = '/public/';

/**
 * The headers of the answer to a preflight: the OPTIONS that a browser sends, without a key, before the real request to
 * this target.
 */
export function preflightHeaders(target: string, asked: string | undefined): readonly string[] {
  return [
    ...(target.startsWith(publicRoot) ? anyOrigin : []),
    'Access-Control-Allow-Methods',
    'GET, HEAD, PUT, POST, PATCH, DELETE',
    'Access-Control-Allow-Headers',
    allowedHeaders + metadataFields(asked),
    'Access-Control-Max-Age',
    preflightSeconds,
    'Allow',
    'GET, HEAD, PUT, POST, PATCH, DELETE, OPTIONS',
  ];
}

const metadataField = /^x-(?:meta|file)-[\w.-]+$/i;

/**
 * The fields of metadata that the browser is about to send (docs/http.md#file-metadata): a page may choose their names; and
 * those of what a file brings along.
 */
function metadataFields(asked = ''): string {
  const fields = asked.split(',').map((field) => field.trim());
  return fields.map((field) => (metadataField.test(field) ? `, ${field}` : '')).join('');
}
