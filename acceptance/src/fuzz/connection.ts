import { once } from 'node:events';
import { connect } from 'node:net';
import { type Answer, createAnswerReader, saysClose } from './answers.js';

const answerTimeoutMs = 30_000;

/** What was received over one connection until it closed. */
export interface Conversation {
  readonly answers: readonly Answer[];
  /** What is wrong with the received bytes: they are not answers, or the answers are missing. */
  readonly problem: string | undefined;
}

/** A kept-alive connection for pipelined requests with valid framing: each has one answer. */
export interface Pipeline {
  /**
   * Sends requests in one write and returns their answers, or fewer if the server closes the connection. Throws if the
   * received bytes are not an answer, or if nothing is received in time.
   */
  exchange(requests: readonly { bytes: Buffer; isHead: boolean }[]): Promise<readonly Answer[]>;
  readonly open: boolean;
  /** The error that closed the connection, if there was one. */
  readonly failure: Error | undefined;
  destroy(): void;
}

export async function openPipeline(port: number): Promise<Pipeline> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  let open = true;
  let wake = () => {};
  let chunks: Buffer[] = [];
  let failure: Error | undefined;
  socket.on('error', (cause) => {
    failure = cause;
  });
  socket.on('close', () => {
    open = false;
    wake();
  });
  socket.on('data', (chunk) => {
    chunks.push(chunk);
    wake();
  });
  await once(socket, 'connect');
  return {
    async exchange(requests) {
      const reader = createAnswerReader((index) => requests[index]?.isHead ?? false);
      const answers: Answer[] = [];
      socket.write(Buffer.concat(requests.map(({ bytes }) => bytes)));
      const tooLate = setTimeout(() => {
        socket.destroy(
          new Error(`nothing was received for ${answerTimeoutMs} ms after ${answers.length} answers`),
        );
      }, answerTimeoutMs);
      while (answers.length < requests.length && open) {
        await new Promise<void>((resolve) => {
          wake = resolve;
          if (chunks.length > 0 || !open) resolve();
        });
        const some = chunks;
        chunks = [];
        for (const chunk of some) answers.push(...reader.take(chunk));
      }
      clearTimeout(tooLate);
      // A refusal has a body even if the parser has rejected what would have been a HEAD request.
      const last = answers.at(-1);
      const refused = last !== undefined && saysClose(last) && requests[answers.length - 1]?.isHead;
      if (reader.rest.length > 0 && !refused)
        throw new Error(`More bytes than answers: ${reader.rest.subarray(0, 200)}`);
      return answers;
    },
    get open() {
      return open;
    },
    get failure() {
      return failure;
    },
    destroy: () => socket.destroy(),
  };
}

/**
 * Sends bytes over a connection of their own, waits for the answers to the first `answersBefore` requests (or until the
 * server ends the connection), then ends this side and returns everything that is received until the server has closed.
 */
export function converse(port: number, bytes: Buffer, answersBefore: number): Promise<Conversation> {
  return new Promise((resolve) => {
    const reader = createAnswerReader();
    const answers: Answer[] = [];
    let problem: string | undefined;
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    const tooLate = setTimeout(() => {
      problem ??= `the server neither answered nor closed within ${answerTimeoutMs} ms`;
      socket.destroy();
    }, answerTimeoutMs);
    socket.on('data', (chunk) => {
      try {
        answers.push(...reader.take(chunk));
      } catch (cause) {
        problem ??= String(cause);
      }
      if (answers.length >= answersBefore && !socket.writableEnded) socket.end();
    });
    // The server may close while bytes are still in flight to it, which resets the connection. That is a valid end.
    socket.on('error', () => {});
    socket.on('close', () => {
      clearTimeout(tooLate);
      resolve({ answers, problem });
    });
    socket.write(bytes);
    if (answersBefore === 0) socket.end();
  });
}
