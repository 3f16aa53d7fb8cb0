import { once } from 'node:events';
import { connect } from 'node:net';
import { type Answer, createAnswerReader, saysClose } from './answers.js';

const patienceMs = 30_000;

/** What came back over one connection until it closed. */
export interface Conversation {
  readonly answers: readonly Answer[];
  /** What is wrong with the bytes that came: no answers, or one cut short. */
  readonly trouble: string | undefined;
}

/** A connection that is kept, for requests whose framing is good: each has one answer. */
export interface Pipeline {
  /**
   * Sends requests in one go and gives their answers; fewer when the server closed. Throws when bytes come that
   * are no answer, or nothing comes for too long.
   */
  exchange(requests: readonly { bytes: Buffer; isHead: boolean }[]): Promise<readonly Answer[]>;
  readonly open: boolean;
  /** Why it is no longer open, when that was no proper end. */
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
        socket.destroy(new Error(`nothing came for ${patienceMs} ms behind ${answers.length} answers`));
      }, patienceMs);
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
      // A refusal has a body, even where the parser stopped at what would have been a HEAD.
      const last = answers.at(-1);
      const refused = last !== undefined && saysClose(last) && requests[answers.length - 1]?.isHead;
      if (reader.rest.length > 0 && !refused)
        throw new Error(`More than was asked for: ${reader.rest.subarray(0, 200)}`);
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
 * Sends bytes over a connection of their own, waits for the answers to the first `answersBefore` requests (or the
 * server's end), then ends this side and gives everything that comes until the server has closed.
 */
export function converse(port: number, bytes: Buffer, answersBefore: number): Promise<Conversation> {
  return new Promise((resolve) => {
    const reader = createAnswerReader();
    const answers: Answer[] = [];
    let trouble: string | undefined;
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    const tooLate = setTimeout(() => {
      trouble ??= `neither answered nor closed within ${patienceMs} ms`;
      socket.destroy();
    }, patienceMs);
    socket.on('data', (chunk) => {
      try {
        answers.push(...reader.take(chunk));
      } catch (cause) {
        trouble ??= String(cause);
      }
      if (answers.length >= answersBefore && !socket.writableEnded) socket.end();
    });
    // The server may close while bytes are still on their way to it: that is a reset, and an end like any other.
    socket.on('error', () => {});
    socket.on('close', () => {
      clearTimeout(tooLate);
      resolve({ answers, trouble });
    });
    socket.write(bytes);
    if (answersBefore === 0) socket.end();
  });
}
