import type { IncomingHttpHeaders } from 'node:http';
import { isHost } from '../requests/host.js';
import { ownBytes } from './shared-reading.js';

/** A whole request that two HTTP parsers could not read differently. */
export interface SimpleRequest {
  readonly method: string;
  /** The request target as it arrived: path and query string. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** How many bytes of the chunk it takes. Others may follow it. */
  readonly bytes: number;
}

interface Fields {
  /** The lines between the request line and the empty line, as they arrived. */
  readonly text: string;
  readonly headers: IncomingHttpHeaders;
  readonly contentLength: number | undefined;
}

/** Far below every limit that the operator can set. A longer head is left to Node's parser. */
const maxHeadBytes = 4096;
/** Most heads are shorter: this many bytes of a chunk are converted to text at first. */
const usualHeadBytes = 512;
/** A longer request that has not arrived completely is left to Node's parser. */
const maxIncompleteBytes = 16 * 1024;
const requestLine = /^(GET|DELETE|PUT|POST|PATCH) (\/[\w\-.~%!$&'()*+,;=:@/?]*) HTTP\/1\.1$/;
const field = /^([\w!#$%&'*+\-.^`|~]+):([ \t]*)([\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?)([ \t]*)$/;
const length = /^(?:0|[1-9]\d{0,8})$/;
const empty = Buffer.alloc(0);

/** Fields that change how a request is read, what a browser sees of its answer, or whether the answer has a body. */
const specialFields: ReadonlySet<string> = new Set([
  'connection',
  'expect',
  'http2-settings',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'if-range',
  'if-unmodified-since',
  'keep-alive',
  'origin',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Reads the requests of one connection, one chunk of bytes at a time. Gives the first request of the chunk if nothing
 * about it is special; `incomplete` if the chunk may be the beginning of such a request, which then is small; undefined
 * for everything else. Clients send the same fields again and again, so the text of the last request's fields is kept
 * with its result.
 */
export function createSimpleReader(): (chunk: Buffer) => SimpleRequest | 'incomplete' | undefined {
  let last: Fields | undefined;

  return (chunk) => {
    let text = chunk.toString('latin1', 0, Math.min(chunk.length, usualHeadBytes));
    let headEnd = text.indexOf('\r\n\r\n');
    if (headEnd === -1 && chunk.length > usualHeadBytes) {
      text = chunk.toString('latin1', 0, Math.min(chunk.length, maxHeadBytes));
      headEnd = text.indexOf('\r\n\r\n');
    }
    if (headEnd === -1) return chunk.length < maxHeadBytes ? 'incomplete' : undefined;
    const lineEnd = text.indexOf('\r\n');
    if (lineEnd === headEnd) return undefined;
    const [, method, target] = requestLine.exec(text.slice(0, lineEnd)) ?? [];
    if (method === undefined || target === undefined) return undefined;
    const fieldsText = text.slice(lineEnd + 2, headEnd);
    const fields = last?.text === fieldsText ? last : readFields(fieldsText);
    if (fields === undefined) return undefined;
    last = fields;
    const { headers, contentLength } = fields;
    const hasBody = method !== 'GET' && method !== 'DELETE';
    if (hasBody !== (contentLength !== undefined)) return undefined;
    const bodyStart = headEnd + 4;
    const bytes = bodyStart + (contentLength ?? 0);
    if (chunk.length < bytes) return bytes <= maxIncompleteBytes ? 'incomplete' : undefined;
    return {
      method,
      target,
      headers,
      body: hasBody ? ownBytes(chunk.subarray(bodyStart, bytes)) : empty,
      bytes,
    };
  };
}

/**
 * The fields; undefined if a line breaks RFC 9112, a name occurs twice, a field is special, the length or the
 * connection has a tab next to it (Node's versions differ), or there is no valid host.
 */
function readFields(text: string): Fields | undefined {
  const headers: Record<string, string> = Object.create(null);
  for (const line of text.split('\r\n')) {
    const [, given, before, value, after] = field.exec(line) ?? [];
    if (given === undefined || value === undefined) return undefined;
    const name = given.toLowerCase();
    if (name in headers) return undefined;
    const isKeepAlive = name === 'connection' && value.toLowerCase() === 'keep-alive';
    if (specialFields.has(name) && !isKeepAlive) return undefined;
    const mayHaveTab = name !== 'content-length' && name !== 'connection';
    if (!mayHaveTab && (before?.includes('\t') || after?.includes('\t'))) return undefined;
    headers[name] = value;
  }
  const { host, 'content-length': announced } = headers;
  if (host === undefined || !isHost(host)) return undefined;
  if (announced !== undefined && !length.test(announced)) return undefined;
  return { text, headers, contentLength: announced === undefined ? undefined : Number(announced) };
}
