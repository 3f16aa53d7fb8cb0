/** Sends requests by XMLHttpRequest. The `fetch` of browsers does not report how much of a body has been sent. */

interface Upload {
  readonly method: string;
  readonly headers: Headers;
  readonly signal: AbortSignal;
  readonly body?: BodyInit;
}

/** Whether this platform has XMLHttpRequest: browsers do. */
export function canShowProgress(): boolean {
  return typeof XMLHttpRequest === 'function';
}

/** Sends a request. `onSent` gets the number of bytes sent so far. Rejects like `fetch`, or with the reason of the signal. */
export function sendShowingProgress(
  url: string,
  request: Upload,
  onSent: (bytes: number) => void,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const { method, headers, signal, body = null } = request;
    const xhr = new XMLHttpRequest();
    const abort = () => xhr.abort();
    const settle = (act: () => void) => () => {
      signal.removeEventListener('abort', abort);
      act();
    };
    xhr.open(method, url);
    headers.forEach((value, name) => {
      xhr.setRequestHeader(name, value);
    });
    xhr.upload.onprogress = ({ loaded }) => onSent(loaded);
    xhr.onload = settle(() => resolve(readResponse(xhr)));
    xhr.onerror = settle(() => reject(new TypeError('Failed to send')));
    xhr.onabort = settle(() => reject(signal.reason));
    signal.addEventListener('abort', abort, { once: true });
    xhr.send(body as XMLHttpRequestBodyInit | null);
  });
}

function readResponse(xhr: XMLHttpRequest): Response {
  const headers = new Headers();
  for (const line of xhr.getAllResponseHeaders().trim().split('\r\n')) {
    const colon = line.indexOf(':');
    if (colon > 0) headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  // A Response of status 204 or 304 cannot have a body, not even an empty one.
  return new Response(xhr.responseText || null, { status: xhr.status, headers });
}
