import pinoPretty from 'pino-pretty';
import { quoted } from '../lib/text/words.js';

/** Fields that pino-pretty prints by itself. */
const shownElsewhere = ['level', 'time', 'msg', 'err'];
const requestFields = ['method', 'route', 'status', 'durationMs', 'bytes'];

/**
 * Gives a function that converts one JSON line of the log into a short line for people, with colours if the terminal
 * supports them: `[12:00:00] INFO: GET /health 200 0.4 ms 15 B requestId=…`. A stack follows on lines of its own.
 */
export function createPrettyLines(): (line: string) => string {
  return pinoPretty.prettyFactory({
    colorize: pinoPretty.isColorSupported,
    translateTime: 'SYS:HH:MM:ss',
    hideObject: true,
    messageFormat: (line) => messageOf(line),
  });
}

function messageOf({ msg, ...fields }: Record<string, unknown>): string {
  const isRequest = requestFields.every((name) => name in fields);
  const hidden = isRequest ? [...shownElsewhere, ...requestFields] : shownElsewhere;
  const words: string[] = [];
  if (msg !== 'request') words.push(String(msg));
  if (isRequest) {
    const { method, route, status, durationMs, bytes } = fields;
    words.push(`${method} ${route} ${status} ${durationMs} ms ${bytes} B`);
  }
  words.push(...causeWords('err', fields.err));
  // The id is long, and rarely of interest.
  const names = Object.keys(fields).filter((name) => name !== 'requestId' && !hidden.includes(name));
  if ('requestId' in fields) names.push('requestId');
  for (const name of names) words.push(`${name}=${valueText(fields[name])}`);
  const stack = stackOf(fields.err);
  return stack === undefined ? words.join(' ') : `${words.join(' ')}\n${stack}`;
}

interface LoggedCause {
  readonly type?: string;
  readonly code?: string;
  readonly message?: string;
  readonly stack?: string;
  readonly cause?: unknown;
}

function causeWords(name: string, value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const { type = 'Error', code, message = '', cause } = value as LoggedCause;
  const kind = code === undefined || message.startsWith(code) ? type : `${type} ${code}`;
  return [`${name}=${quoted(`${kind}: ${message}`)}`, ...causeWords('cause', cause)];
}

/** The stack of the innermost cause that has one. */
function stackOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { stack, cause } = value as LoggedCause;
  return stackOf(cause) ?? stack;
}

function valueText(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  return /^[\w@%+:,./-]+$/.test(value) ? value : quoted(value);
}
