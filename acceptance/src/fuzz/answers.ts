/** One answer as it was received. */
export interface Answer {
  readonly status: number;
  /** The status line and the headers, with their line ends. */
  readonly head: string;
  readonly body: string;
}

/** Parses answers from bytes as they arrive. */
export interface AnswerReader {
  /** Returns the answers that are complete by now, without interim answers (1xx). Throws if the bytes are not an answer. */
  take(chunk: Buffer): Answer[];
  /** The bytes of an answer that is not complete yet. */
  readonly rest: Buffer;
}

/** `isHead(n)`: whether the nth answer is to a HEAD request, so that it has no body. */
export function createAnswerReader(isHead: (index: number) => boolean = () => false): AnswerReader {
  let rest: Buffer = Buffer.alloc(0);
  let index = 0;
  return {
    take(chunk) {
      let bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      const answers: Answer[] = [];
      for (;;) {
        const headEnd = bytes.indexOf('\r\n\r\n');
        if (headEnd === -1) break;
        const head = bytes.toString('latin1', 0, headEnd + 2);
        const status = statusOf(head);
        const bodyStart = headEnd + 4;
        const hasBody = status >= 200 && !isHead(index);
        const found = hasBody ? readBody(bytes, bodyStart, head, status) : { body: '', end: bodyStart };
        if (found === undefined) break;
        const { body, end } = found;
        bytes = bytes.subarray(end);
        if (status < 200) continue;
        index++;
        answers.push({ status, head, body });
      }
      rest = bytes;
      return answers;
    },
    get rest() {
      return rest;
    },
  };
}

function statusOf(head: string): number {
  const found = /^HTTP\/1\.1 (\d{3}) /.exec(head);
  if (found === null) throw new Error(`This is not an answer: ${JSON.stringify(head.slice(0, 200))}`);
  return Number(found[1]);
}

interface Body {
  readonly body: string;
  /** The position after it. */
  readonly end: number;
}

/** The body of an answer; undefined if it is not complete yet. Exports are chunked, and all others have a length. */
function readBody(bytes: Buffer, start: number, head: string, status: number): Body | undefined {
  if (status === 204 || status === 304) return { body: '', end: start };
  if (/\r\ntransfer-encoding: chunked\r\n/i.test(head)) return readChunks(bytes, start);
  const found = /\r\ncontent-length: (\d+)\r\n/i.exec(head);
  if (found === null) throw new Error(`An answer without a length: ${JSON.stringify(head)}`);
  const end = start + Number(found[1]);
  return bytes.length < end ? undefined : { body: bytes.toString('utf8', start, end), end };
}

function readChunks(bytes: Buffer, start: number): Body | undefined {
  const chunks: Buffer[] = [];
  for (let at = start; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd === -1) return undefined;
    const line = bytes.toString('latin1', at, lineEnd);
    if (!/^[0-9a-f]+$/i.test(line))
      throw new Error(`This is not the size of a chunk: ${JSON.stringify(line)}`);
    const chunkStart = lineEnd + 2;
    const chunkEnd = chunkStart + Number.parseInt(line, 16);
    if (bytes.length < chunkEnd + 2) return undefined;
    if (bytes.toString('latin1', chunkEnd, chunkEnd + 2) !== '\r\n')
      throw new Error('A chunk is longer than its size');
    if (chunkEnd === chunkStart) return { body: Buffer.concat(chunks).toString(), end: chunkEnd + 2 };
    chunks.push(bytes.subarray(chunkStart, chunkEnd));
    at = chunkEnd + 2;
  }
}

export function requestIdOf(answer: Answer): string | undefined {
  return /\r\nx-request-id: (\S+)\r\n/i.exec(answer.head)?.[1];
}

export function saysClose(answer: Answer): boolean {
  return /\r\nconnection: close\r\n/i.test(answer.head);
}
