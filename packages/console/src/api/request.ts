import { serviceAddress } from './address.js';
import { refusalOf } from './errors.js';
import { key, project } from './session.js';

export interface RequestOptions {
  /** JSON text, or bytes with a type of their own. */
  readonly body?: string | Blob;
  readonly type?: string;
  readonly signal?: AbortSignal | undefined;
}

/** Sends a request with the key of this tab. `path` is below the project. Rejects with `RefusedRequest`. */
export async function send(method: string, path: string, options: RequestOptions = {}): Promise<Response> {
  const { body, type = 'application/json', signal } = options;
  const headers: Record<string, string> = { 'X-API-Key': key.value ?? '' };
  if (body !== undefined) headers['Content-Type'] = type;
  const response = await fetch(`${serviceAddress}/v1/${encodeURIComponent(project.value)}${path}`, {
    method,
    headers,
    redirect: 'error',
    cache: 'no-cache',
    ...(body === undefined ? {} : { body }),
    ...(signal === undefined ? {} : { signal }),
  });
  if (response.ok) return response;
  throw refusalOf(response.status, await response.text());
}

/** The answer as the text that the service sent: nothing is parsed, so nothing is rounded or reordered. */
export async function requestText(
  method: string,
  path: string,
  options: RequestOptions = {},
): Promise<string> {
  return (await send(method, path, options)).text();
}
