import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
  readonly text: string;
  /** Milliseconds of a monotonic clock. */
  readonly at: number;
}

/** What the service does with a request: it answers, or it fails in some way. */
export type Reaction = (response: ServerResponse, request: SeenRequest) => void;

export interface FakeService {
  readonly url: string;
  /** The requests that arrived, in order. */
  readonly seen: SeenRequest[];
}

export function json(status: number, value: unknown, headers: Record<string, string> = {}): Reaction {
  return (response) => {
    response.writeHead(status, { 'Content-Type': 'application/json', 'X-Request-Id': 'r1', ...headers });
    response.end(JSON.stringify(value));
  };
}

/** Reads the request and closes the connection without an answer. */
export const cutOff: Reaction = (response) => {
  response.socket?.destroy();
};

/** Closes the connection in the middle of the answer. */
export const halfAnswer: Reaction = (response) => {
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '100' });
  response.write('{"key":', () => response.socket?.destroy());
};

/** Never answers. */
export const silence: Reaction = () => {};

/** A service that uses the next reaction for each request, and the last one for all further requests. */
export async function fakeService(test: TestContext, ...reactions: Reaction[]): Promise<FakeService> {
  const seen: SeenRequest[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      return; // The client has closed the connection. Tests look only at complete requests.
    }
    const body = Buffer.concat(chunks);
    const entry: SeenRequest = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      body,
      text: body.toString(),
      at: performance.now(),
    };
    const reaction = reactions[Math.min(seen.length, reactions.length - 1)];
    seen.push(entry);
    reaction?.(response, entry);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  test.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}
