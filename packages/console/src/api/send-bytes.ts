import { serviceAddress } from './address.js';
import { refusalOf } from './errors.js';
import { key, project } from './session.js';

export interface SendOptions {
  /** The content type; empty if it is not known. */
  readonly type: string;
  readonly signal: AbortSignal;
  /** Called with the bytes of this request that have left. */
  onSent(bytes: number): void;
}

/**
 * Sends bytes with the key of this tab, and reports how many have left: `fetch` does not say that. `path` is below the
 * project. Gives the text of the answer. Rejects with `RefusedRequest`, with an `AbortError` after the signal, and with
 * a `TypeError` if the connection is lost.
 */
export function sendBytes(
  method: 'POST' | 'PUT',
  path: string,
  bytes: Blob,
  { type, signal, onSent }: SendOptions,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const stop = () => request.abort();
    const stopped = () => reject(new DOMException('Stopped', 'AbortError'));
    request.open(method, `${serviceAddress}/v1/${encodeURIComponent(project.value)}${path}`);
    request.setRequestHeader('X-API-Key', key.value ?? '');
    request.setRequestHeader('Content-Type', type === '' ? 'application/octet-stream' : type);
    request.upload.onprogress = ({ loaded }) => onSent(loaded);
    request.onload = () => {
      if (request.status < 300) resolve(request.responseText);
      else reject(refusalOf(request.status, request.responseText));
    };
    request.onerror = () => reject(new TypeError('The connection was lost'));
    request.onabort = stopped;
    // A signal may outlive thousands of requests, each with its bytes.
    request.onloadend = () => signal.removeEventListener('abort', stop);
    if (signal.aborted) return stopped();
    signal.addEventListener('abort', stop);
    request.send(bytes);
  });
}
