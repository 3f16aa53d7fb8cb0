import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

export interface HoldingProxy {
  readonly url: string;
  /** Resolves when a request is held. */
  readonly held: Promise<void>;
}

/** A way to the service that never answers the requests that `holds` names, and forwards all others. */
export async function holdingProxy(
  test: TestContext,
  serviceUrl: string,
  holds: (asked: IncomingMessage) => boolean,
): Promise<HoldingProxy> {
  let tell = () => {};
  const held = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const server = createServer((asked, answer) => {
    if (holds(asked)) {
      asked.resume();
      tell();
      return;
    }
    const { method, headers } = asked;
    const sent = request(new URL(asked.url ?? '', serviceUrl), { method, headers }, (given) => {
      answer.writeHead(given.statusCode ?? 0, given.headers);
      given.pipe(answer);
    });
    // A client that aborts its request ends it here, too.
    answer.on('close', () => sent.destroy());
    sent.on('error', () => answer.destroy());
    asked.pipe(sent);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  test.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, held };
}
