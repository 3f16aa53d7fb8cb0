import { type ServerResponse, STATUS_CODES } from 'node:http';

/** What Node makes of a response's head, and sends in front of its first bytes. */
interface WithHead {
  _header: string | null;
}

export interface PlainAnswer {
  readonly status: number;
  readonly requestId: string;
  readonly body: string;
  readonly encoding: 'utf8' | 'latin1';
  /** The bytes of the body in that encoding. */
  readonly size: number;
}

/** Sends an answer of JSON that is at hand. False: this response is not as usual, and nothing was done. */
export type SendPlainAnswer = (response: ServerResponse, answer: PlainAnswer) => boolean;

/**
 * The usual answer: JSON at hand on a connection that goes on. Its head is always the same but for four values, while
 * Node puts it together and checks it field by field: 2.3 of the 15 µs that a bare answer takes. So it is written
 * here and handed over where Node keeps its own (`_header`, there since Node's first days; where it is not, the
 * usual way is taken).
 */
export function createPlainAnswers(idleTimeoutMs: number): SendPlainAnswer {
  const date = createDate();
  const end = `\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(idleTimeoutMs / 1000)}\r\n\r\n`;

  return (response, { status, requestId, body, encoding, size }) => {
    const withHead = response as unknown as WithHead;
    if (withHead._header !== null || !response.shouldKeepAlive || status === 204) return false;
    response.statusCode = status;
    const type = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json`;
    const about = `\r\nContent-Length: ${size}\r\nX-Request-Id: ${requestId}\r\nDate: `;
    withHead._header = type + about + date() + end;
    response.end(body, encoding);
    return true;
  };
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
