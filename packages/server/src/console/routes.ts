import { contentType } from 'mime-types';
import type { Answer, Call, RouteTable } from '../http/call.js';
import { checkConditions } from '../http/conditional.js';
import { notFound } from '../request-error.js';
import { type ConsoleFile, openConsoleFiles } from './files.js';

/** What a page of the console may load and do: docs/console.md#security */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  "media-src 'self' blob:",
  'frame-src blob:',
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const securityHeaders = [
  'Content-Security-Policy',
  policy,
  'X-Content-Type-Options',
  'nosniff',
  'Referrer-Policy',
  'no-referrer',
  'Cross-Origin-Opener-Policy',
  'same-origin',
  'Cross-Origin-Resource-Policy',
  'same-origin',
  'Permissions-Policy',
  'camera=(), geolocation=(), microphone=()',
];

/** The page asks each time whether it is current; the names of all other files change with their content. */
const revalidated = 'no-cache';
const immutable = 'public, max-age=31536000, immutable';

/**
 * The routes of docs/http.md#console: the page at `/` and its files. `folder` has the built files. Neither needs a key:
 * they hold no data.
 */
export function consoleRoutes(folder: string): RouteTable {
  const files = openConsoleFiles(folder);
  const started = new Date().toUTCString();

  async function serve(call: Call, path: string, cacheControl: string): Promise<Answer> {
    const file = await files.read(path, call.headers['accept-encoding'] as string | undefined);
    if (file === undefined) throw notFound();
    const headers = headersOf(file, path, cacheControl);
    const isKnown =
      checkConditions(call.headers, { etag: file.etag, lastModified: started }) === 'not modified';
    return isKnown ? { status: 304, headers, body: '' } : { status: 200, headers, body: file.bytes };
  }

  return {
    '/': { GET: (call) => serve(call, 'index.html', revalidated) },
    '/assets/:file': { GET: (call) => serve(call, `assets/${call.params.file}`, immutable) },
  };
}

function headersOf(file: ConsoleFile, path: string, cacheControl: string): string[] {
  return [
    'Content-Type',
    contentType(path.slice(path.lastIndexOf('/') + 1)) || 'application/octet-stream',
    'Cache-Control',
    cacheControl,
    'ETag',
    file.etag,
    'Vary',
    'Accept-Encoding',
    ...(file.encoding === undefined ? [] : ['Content-Encoding', file.encoding]),
    ...securityHeaders,
  ];
}
