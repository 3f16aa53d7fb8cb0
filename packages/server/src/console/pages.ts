import { contentType } from 'mime-types';
import { checkConditions } from '../http/answers/conditional.js';
import type { Answer, Call } from '../http/requests/call.js';
import type { Route } from '../http/routing/router.js';
import { notFound } from '../request-error.js';
import { type ConsoleFile, openConsoleFiles } from './files.js';
import { createNonce, securityHeaders, withNonce } from './policy.js';

/** The names of all files but the page and the licences change with their content. */
const immutable = 'public, max-age=31536000, immutable';
/** The licences of what the build has bundled. */
const licenses = 'assets/licenses.txt';

/**
 * The page at `/` and its files (docs/http.md#console), which are no operations. `folder` has the built files. Neither
 * needs a key: they hold no data.
 */
export function consolePages(folder: string): readonly Route<unknown>[] {
  const files = openConsoleFiles(folder);
  const started = new Date().toUTCString();

  async function servePage(): Promise<Answer> {
    const file = await files.read('index.html', undefined);
    if (file === undefined) throw notFound();
    const nonce = createNonce();
    const headers = [
      'Content-Type',
      'text/html; charset=utf-8',
      // A page of a cache would come with a nonce that was used before.
      'Cache-Control',
      'no-store',
      ...securityHeaders(nonce),
    ];
    return { status: 200, headers, body: withNonce(file.bytes.toString(), nonce) };
  }

  async function serveAsset(call: Call): Promise<Answer> {
    const path = `assets/${call.params.file}`;
    const file = await files.read(path, call.headers['accept-encoding'] as string | undefined);
    if (file === undefined) throw notFound();
    const headers = headersOf(file, path);
    const isKnown =
      checkConditions(call.headers, { etag: file.etag, lastModified: started }) === 'not modified';
    return isKnown ? { status: 304, headers, body: '' } : { status: 200, headers, body: file.bytes };
  }

  return [
    { method: 'GET', path: '/', access: 'no key', handle: servePage },
    { method: 'GET', path: '/assets/{file}', access: 'no key', handle: serveAsset },
  ];
}

function headersOf(file: ConsoleFile, path: string): string[] {
  return [
    'Content-Type',
    contentType(path.slice(path.lastIndexOf('/') + 1)) || 'application/octet-stream',
    'Cache-Control',
    path === licenses ? 'no-cache' : immutable,
    'ETag',
    file.etag,
    'Vary',
    'Accept-Encoding',
    ...(file.encoding === undefined ? [] : ['Content-Encoding', file.encoding]),
    ...securityHeaders(),
  ];
}
