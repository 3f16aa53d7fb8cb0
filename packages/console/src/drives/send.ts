import { serviceAddress } from '../api/address.js';
import { RefusedRequest } from '../api/errors.js';
import { key, project } from '../api/session.js';

/**
 * Sends bytes with the key of this tab, and reports how many have left: `fetch` does not say that. `path` is below the
 * project. Gives the text of the answer. Rejects with `RefusedRequest`, with an `AbortError` after the signal, and with
 * a `TypeError` if the connection is lost.
 */
export function sendBytes(path: string, bytes: Blob, { type, signal, onSent }: SendOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', `${serviceAddress}/v1/${encodeURIComponent(project.value)}${path}`);
    request.setRequestHeader('X-API-Key', key.value ?? '');
    request.setRequestHeader('Content-Type', type === '' ? 'application/octet-stream' : type);
    request.upload.onprogress = ({ loaded }) => onSent(loaded);
    request.onload = () => {
      if (request.status < 300) resolve(request.responseText);
      else reject(new RefusedRequest(request.status, messagesOf(request.responseText)));
    };
    request.onerror = () => reject(new TypeError('The connection was lost'));
    request.onabort = () => reject(new DOMException('Stopped', 'AbortError'));
    signal.addEventListener('abort', () => request.abort());
    if (signal.aborted) request.onabort(new ProgressEvent('abort'));
    else request.send(bytes);
  });
}

interface SendOptions {
  /** The content type; empty if it is not known. */
  readonly type: string;
  readonly signal: AbortSignal;
  /** The bytes of this request that have left. */
  onSent(bytes: number): void;
}

function messagesOf(text: string): readonly string[] {
  try {
    const { errors } = JSON.parse(text) as { errors?: unknown };
    return Array.isArray(errors) ? errors.map(String) : [];
  } catch {
    return [];
  }
}
