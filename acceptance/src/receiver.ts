import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Change } from './feed.js';

/** A message of a webhook, as it came. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Where webhooks send to. */
export interface Receiver {
  readonly url: string;
  readonly received: readonly Received[];
  /** What the next messages are answered with, one after the other; when there are no more, 204. */
  readonly answers: ((response: ServerResponse) => void)[];
  /** Resolves when the condition holds, which is asked after each message. */
  until(condition: () => boolean): Promise<void>;
  /** The changes of all messages so far. */
  changes(): readonly Change[];
  close(): Promise<void>;
}

/** Answers with this status and headers. */
export function answering(status: number, headers: Record<string, string> = {}) {
  return (response: ServerResponse): void => {
    response.writeHead(status, headers).end();
  };
}

/** Answers so once the test has seen what it waits for, however long that takes. */
export function held(answer: (response: ServerResponse) => void) {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { release, answer: (response: ServerResponse): void => void released.then(() => answer(response)) };
}

/** A server on this machine that takes messages of webhooks. */
export async function openReceiver(port = 0): Promise<Receiver> {
  const received: Received[] = [];
  const answers: ((response: ServerResponse) => void)[] = [];
  const waiting = new Set<() => void>();
  const server = createServer(async (request, response) => {
    const body = await text(request).catch(() => undefined);
    if (body === undefined) return;
    received.push({ path: request.url ?? '', headers: request.headers, body });
    (answers.shift() ?? answering(204))(response);
    for (const look of waiting) look();
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    answers,
    until: (condition) =>
      new Promise((resolve) => {
        const look = () => {
          if (!condition()) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    changes: () => received.flatMap(({ body }) => changesIn(body)),
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function changesIn(body: string): readonly Change[] {
  return (JSON.parse(body) as { data: { changes?: readonly Change[] } }).data.changes ?? [];
}
