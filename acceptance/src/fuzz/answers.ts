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
        const length = status < 200 || isHead(index) ? 0 : lengthOf(head, status);
        if (bytes.length < bodyStart + length) break;
        const body = bytes.toString('utf8', bodyStart, bodyStart + length);
        bytes = bytes.subarray(bodyStart + length);
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

/** The length of the body. The service sends it with every answer that has a body. */
function lengthOf(head: string, status: number): number {
  if (status === 204 || status === 304) return 0;
  const found = /\r\ncontent-length: (\d+)\r\n/i.exec(head);
  if (found === null) throw new Error(`An answer without a length: ${JSON.stringify(head)}`);
  return Number(found[1]);
}

export function requestIdOf(answer: Answer): string | undefined {
  return /\r\nx-request-id: (\S+)\r\n/i.exec(answer.head)?.[1];
}

export function saysClose(answer: Answer): boolean {
  return /\r\nconnection: close\r\n/i.test(answer.head);
}
