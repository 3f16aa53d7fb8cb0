import type { Endpoint, TxOptions } from './endpoint.js';
import { invalid, networkError } from './error.js';
import { type Ending, type TextAnswer, textExchange } from './text-exchange.js';
import { canShowProgress, sendShowingProgress } from './xhr.js';

/** A request, as it is sent once. */
export interface Request {
  readonly method: 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE';
  /** The path below the root of the base or drive. */
  readonly path: string;
  readonly body?: string | Uint8Array | Blob;
  /** The content type; default for a text: JSON. */
  readonly type?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Called with the number of sent bytes of the body, if the platform reports it. Each repeat starts at 0. */
  readonly onSent?: ((bytes: number) => void) | undefined;
  /** Called with the transaction of the answer, which is asked for then. */
  readonly onTx?: TxOptions['onTx'];
}

type EndingRequest = Request & { readonly ending: Ending };

/** Sends a request and gives its answer. Rejects with a `BasedriveError`. */
export type Send<Answer> = (endpoint: Endpoint, request: EndingRequest) => Promise<Answer>;

/** For an answer whose body is read as it arrives. */
export const sendForStream: Send<Response> = (endpoint, request) =>
  answered(sendByFetch(endpoint, request, headersOf(endpoint, request)));

/** For an answer whose body is read as one text. */
export const sendForText: Send<TextAnswer> = (endpoint, request) => {
  const { root, options } = endpoint;
  const { method, path, body, ending } = request;
  const headers = headersOf(endpoint, request);
  const exchange = options.fetch === undefined ? textExchange() : undefined;
  if (exchange === undefined || body instanceof Blob)
    return answered(sendByFetch(endpoint, request, headers));
  return answered(exchange(root + path, { method, headers, ending, ...(body !== undefined && { body }) }));
};

function headersOf({ key }: Endpoint, { headers: own, type: given, body, onTx }: Request): Headers {
  try {
    const headers = new Headers({ ...own, ...(key !== '' && { 'X-API-Key': key }) });
    const type = given ?? (typeof body === 'string' && 'application/json');
    if (type) headers.set('Content-Type', type);
    if (onTx !== undefined) headers.set('Prefer', 'tx');
    return headers;
  } catch (cause) {
    throw invalid(`A header cannot be sent: ${(cause as Error).message}`);
  }
}

async function sendByFetch(
  { root, options }: Endpoint,
  { method, path, body, onSent, ending }: EndingRequest,
  headers: Headers,
): Promise<Response> {
  const request = {
    method,
    headers,
    signal: ending.signal,
    ...(body === undefined ? {} : { body: body as BodyInit }),
  };
  if (onSent && options.fetch === undefined && canShowProgress()) {
    return sendShowingProgress(root + path, request, onSent);
  }
  // No redirect is followed, because the key is meant for this address only. A browser has to revalidate a cached
  // file, because the file may have been overwritten.
  return (options.fetch ?? fetch)(root + path, { ...request, redirect: 'manual', cache: 'no-cache' });
}

async function answered<Answer>(answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer;
  } catch (cause) {
    throw networkError(cause);
  }
}
