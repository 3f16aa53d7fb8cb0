import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { FrontStream } from '../../src/server/fronts/front-stream.js';
import { receiveConnections } from '../../src/server/fronts/receive-connections.js';
import { createAccepting } from '../../src/server/fronts/relay/accept.js';
import { createRelay } from '../../src/server/fronts/relay/relay.js';
import { issueServerCertificate, makeAuthority } from '../../src/server/tls/issue.js';

interface Opened {
  readonly client: Socket;
  readonly stream: FrontStream;
  /** Resets the connection. */
  leave(): void;
}

/** A front and the owner of its connections in one process. */
export interface Fronted {
  /** A client, and its connection as the owner sees it. */
  open(): Promise<Opened>;
  /** The connections in the front. */
  readonly inFront: ReadonlySet<Socket>;
  /** The way between both. */
  readonly frames: Socket;
  /** Ends the front as a kill does: what it has told still arrives. */
  kill(): void;
  close(): void;
}

export async function fronted(isSecure = false): Promise<Fronted> {
  const certificate = isSecure ? await makeCertificate() : undefined;
  const way = createServer();
  way.listen(0, '127.0.0.1');
  await once(way, 'listening');
  const arrived = once(way, 'connection');
  const toOwner = connect((way.address() as AddressInfo).port, '127.0.0.1');
  const [frames] = (await arrived) as [Socket];
  const waiting = new Map<number, (stream: FrontStream) => void>();
  const opened = new Set<FrontStream>();
  receiveConnections(
    frames,
    {
      onOpen: () => {},
      onReady(stream) {
        opened.add(stream);
        waiting.get(stream.remotePort)?.(stream);
      },
    },
    isSecure,
  );
  const ticketKeys = '00'.repeat(48);
  const accept = { certificate, handshakeMs: 60_000, ticketKeys, onPlainHttp: () => {} };
  const { server, open } = createAccepting(createRelay(toOwner), accept);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const clients = new Set<Socket>();

  return {
    inFront: open,
    frames,
    async open() {
      const { port: serverPort } = server.address() as AddressInfo;
      const socket = connect({ port: serverPort, host: '127.0.0.1', allowHalfOpen: true });
      const client = isSecure ? connectTls({ socket, rejectUnauthorized: false }) : socket;
      for (const each of [socket, client]) each.on('error', () => {});
      clients.add(client);
      await once(client, isSecure ? 'secureConnect' : 'connect');
      const port = socket.localPort as number;
      const known = [...opened].find(({ remotePort }) => remotePort === port);
      const stream = known ?? (await new Promise<FrontStream>((resolve) => void waiting.set(port, resolve)));
      return { client, stream, leave: () => void socket.resetAndDestroy() };
    },
    kill() {
      for (const socket of open) socket.destroy();
      server.close();
      toOwner.destroy();
    },
    close() {
      for (const client of clients) client.destroy();
      for (const socket of open) socket.destroy();
      server.close();
      way.close();
      frames.destroy();
      toOwner.destroy();
    },
  };
}

async function makeCertificate() {
  return await issueServerCertificate(await makeAuthority(Date.now()), ['localhost'], Date.now());
}
