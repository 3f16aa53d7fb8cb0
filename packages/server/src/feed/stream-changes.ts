import { noSniff, noStore } from '../http/answers/answer.js';
import type { Answer } from '../http/requests/call.js';
import { abandoned } from '../request-error.js';
import { type Batch, cursorOf, type Position, type Sending } from './position.js';

/** How changes are sent, as long as the reader stays (docs/http.md#streams-of-changes). */
export interface StreamFormat {
  readonly type: string;
  /** What a stream begins with. */
  readonly head: string;
  /** The text of changes. Whoever has read it whole can go on from its cursor. */
  changesText(sending: Sending): string;
  /** What is sent when all that was there at the beginning has been given. */
  liveText(position: Position): string;
  /** What is sent when nothing has come for a while, so that nobody on the way takes the connection for dead. */
  quietText(position: Position): string;
}

/** A change a line, and a line with the cursor after each batch. */
export const lines: StreamFormat = {
  type: 'application/x-ndjson',
  head: '',
  changesText: ({ changes, position }) =>
    `${changes.map((change) => `${change}\n`).join('')}${cursorLine(position)}`,
  liveText: (position) => `{"cursor":"${cursorOf(position)}","live":true}\n`,
  quietText: cursorLine,
};

function cursorLine(position: Position): string {
  return `{"cursor":"${cursorOf(position)}"}\n`;
}

const retryMs = 1000;

/**
 * Server-sent events. Only the last event of a batch has an id, since a browser that has read it has read all before it.
 * Browsers take the id of an event without data, too.
 */
export const events: StreamFormat = {
  type: 'text/event-stream',
  head: `retry: ${retryMs}\n\n`,
  changesText({ changes, position }) {
    const last = changes.length - 1;
    return changes.map((change, at) => `${at === last ? idLine(position) : ''}data: ${change}\n\n`).join('');
  },
  liveText: (position) => `event: live\n${idLine(position)}data: {}\n\n`,
  quietText: (position) => `${idLine(position)}: nothing new\n\n`,
};

function idLine(position: Position): string {
  return `id: ${cursorOf(position)}\n`;
}

/** Less than proxies and networks keep a silent connection. */
const silentMs = 15_000;

/**
 * Answers with a stream of changes. What is wrong with the request is thrown before it begins, as a `RequestError`.
 */
export async function streamAnswer(
  batches: AsyncGenerator<Batch>,
  format: StreamFormat,
): Promise<Answer<200, never>> {
  const first = await batches.next();
  if (first.done) throw abandoned();
  return {
    status: 200,
    // nginx would keep what is sent until much of it has come.
    headers: ['Content-Type', format.type, ...noStore, ...noSniff, 'X-Accel-Buffering', 'no'],
    body: streamChanges(first.value, batches, format),
    isEndless: true,
  };
}

/**
 * The bytes of a stream of changes, which ends when the reader is over. No generator, since that would keep what it has
 * given last until there is more.
 */
function streamChanges(
  first: Batch,
  rest: AsyncGenerator<Batch>,
  format: StreamFormat,
): AsyncIterableIterator<Buffer> {
  let { position } = first;
  let hasBegun = false;
  let wasLive = false;
  let next: Waited<IteratorResult<Batch>> | undefined;
  const textOf = (batch: Batch) => {
    ({ position } = batch);
    const changes = batch.changes.splice(0);
    if (changes.length > 0) return format.changesText({ changes, position });
    if (!batch.isLive) return batch === first ? format.quietText(position) : '';
    if (wasLive) return '';
    wasLive = true;
    return format.liveText(position);
  };
  const bytesOf = (batch: Batch, head = '') => Buffer.from(head + textOf(batch));

  async function nextBytes(): Promise<Buffer | undefined> {
    if (!hasBegun) {
      hasBegun = true;
      return bytesOf(first, format.head);
    }
    for (;;) {
      next ??= waitFor(rest.next());
      if (!(await next.isThere(silentMs))) return Buffer.from(format.quietText(position));
      const found = await next.promise;
      next = undefined;
      if (found.done) return undefined;
      const bytes = bytesOf(found.value);
      if (bytes.length > 0) return bytes;
    }
  }

  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      const value = await nextBytes();
      return value === undefined ? { done: true, value } : { done: false, value };
    },
    async return() {
      // It ends when it sees that the reader is over, which nobody waits for.
      void rest.return(undefined).catch(() => {});
      return { done: true, value: undefined };
    },
  };
}

/** A promise that is waited for again and again. */
interface Waited<T> {
  readonly promise: Promise<T>;
  /** Whether it has settled, at the latest after this time. */
  isThere(ms: number): Promise<boolean>;
}

/** `Promise.race` would leave something on the promise each time, as long as it is pending: for days on a silent stream. */
function waitFor<T>(promise: Promise<T>): Waited<T> {
  let isSettled = false;
  let wake = () => {};
  const settle = () => {
    isSettled = true;
    wake();
  };
  promise.then(settle, settle);
  return {
    promise,
    async isThere(ms) {
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        wake = resolve;
        if (isSettled) resolve();
        else timer = setTimeout(resolve, ms).unref();
      });
      clearTimeout(timer);
      return isSettled;
    },
  };
}
