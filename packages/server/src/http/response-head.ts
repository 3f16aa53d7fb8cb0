import { STATUS_CODES } from 'node:http';
import { jsonHeaders } from './answer.js';
import type { Answer } from './call.js';

/**
 * The head of an answer on a connection that goes on, with the empty line at its end. Without a size the answer's own
 * headers say it. Undefined when it is not as usual: the answer has no body, or a field holds what Node would refuse.
 */
export type ResponseHead = (
  answer: Answer,
  requestId: string,
  size: number | undefined,
) => string | undefined;

const jsonFields = `Content-Type: ${jsonHeaders[1]}\r\n`;
const unfit = /[^\t\x20-\x7e\x80-\xff]/;

/** `idleTimeoutMs` is what a client is told of how long a connection without requests stays open. */
export function createResponseHead(idleTimeoutMs: number): ResponseHead {
  const date = createDate();
  const end = `\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(idleTimeoutMs / 1000)}\r\n\r\n`;

  return ({ status, headers }, requestId, size) => {
    if (status === 204 || status === 304) return undefined;
    const fields = headers === jsonHeaders ? jsonFields : fieldsOf(headers);
    if (fields === undefined) return undefined;
    const length = size === undefined ? '' : `Content-Length: ${size}\r\n`;
    const about = `${length}X-Request-Id: ${requestId}\r\nDate: `;
    return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${fields}${about}${date()}${end}`;
  };
}

/** The fields as they are sent; undefined when a value holds what Node would refuse. */
function fieldsOf(headers: readonly string[]): string | undefined {
  let text = '';
  for (let at = 0; at < headers.length; at += 2) {
    const value = headers[at + 1] as string;
    if (unfit.test(value)) return undefined;
    text += `${headers[at]}: ${value}\r\n`;
  }
  return text;
}

/** The time as HTTP writes it, put into words once a second. */
function createDate(): () => string {
  let untilMs = 0;
  let text = '';
  return () => {
    const now = Date.now();
    if (now >= untilMs || now < untilMs - 1000) {
      untilMs = (Math.floor(now / 1000) + 1) * 1000;
      text = new Date(now).toUTCString();
    }
    return text;
  };
}
