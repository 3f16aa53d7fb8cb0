import { STATUS_CODES } from 'node:http';
import type { Answer } from '../requests/call.js';
import { jsonHeaders } from './answer.js';

/**
 * The head of an answer on a connection that stays open, unless it `isLast`, with the empty line at its end. If no size is given, the
 * headers of the answer have it. Undefined if Node must write the head: the answer has no body, or a field has a
 * character that Node would refuse.
 */
export type ResponseHead = (
  answer: Answer,
  requestId: string,
  size: number | undefined,
  isLast?: boolean,
) => string | undefined;

const invalidInField = /[^\t\x20-\x7e\x80-\xff]/;
const endOfLast = '\r\nConnection: close\r\n\r\n';
const jsonFields = fieldsOf(jsonHeaders);

/** `idleTimeoutMs`: how long a connection without requests stays open, for the `Keep-Alive` header. */
export function createResponseHead(idleTimeoutMs: number): ResponseHead {
  const date = createDate();
  const end = `\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(idleTimeoutMs / 1000)}\r\n\r\n`;

  return ({ status, headers }, requestId, size, isLast = false) => {
    if (size !== undefined && hasNoBody(status)) return undefined;
    const fields = headers === jsonHeaders ? jsonFields : fieldsOf(headers);
    if (fields === undefined) return undefined;
    const length = size === undefined ? '' : `Content-Length: ${size}\r\n`;
    const about = `${length}X-Request-Id: ${requestId}\r\nDate: `;
    return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${fields}${about}${date()}${isLast ? endOfLast : end}`;
  };
}

/** Whether an answer of this status has neither a body nor its length. */
export function hasNoBody(status: number): boolean {
  return status === 204 || status === 304;
}

/** The fields as they are sent; undefined when a value has a character that Node would refuse. */
function fieldsOf(headers: readonly string[]): string | undefined {
  let text = '';
  for (let at = 0; at < headers.length; at += 2) {
    const value = headers[at + 1] as string;
    if (invalidInField.test(value)) return undefined;
    text += `${headers[at]}: ${value}\r\n`;
  }
  return text;
}

/** The time as HTTP writes it, formatted once a second. */
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
