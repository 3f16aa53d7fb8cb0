import type { Socket } from 'node:net';
import { openSocket } from '../open-socket.js';
import type { Target } from '../target.js';

/** Connections that make a server hold as many bytes as it will. */
export interface MemoryHogs {
  /** Those that the server has not closed. */
  readonly open: number;
  stop(): void;
}

const connectAtOnce = 50;
const mib = 1024 * 1024;

/** Each asks for `path` `requests` times in one segment, and never reads an answer. */
export function openSilentReaders(
  target: Target,
  options: { readonly connections: number; readonly requests: number; readonly path: string },
): Promise<MemoryHogs> {
  const { connections, requests, path } = options;
  const get = `GET ${path} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${target.key}\r\n\r\n`;
  return openHogs(target, connections, (socket) => {
    socket.pause();
    socket.write(get.repeat(requests));
  });
}

/** Each puts an item with a body of 16 MiB, all but its last byte. */
export function openUnfinishedPuts(target: Target, connections: number): Promise<MemoryHogs> {
  const size = 16 * mib;
  const head = headOfPut(target, `Content-Length: ${size}`);
  const body = Buffer.alloc(size - 1, ' ');
  return openHogs(target, connections, (socket) => {
    socket.write(head);
    socket.write(body);
    socket.resume();
  });
}

/** Each puts items of 10 MB, and never reads the answer, which has all of them. */
export function openSilentWriters(target: Target, connections: number): Promise<MemoryHogs> {
  const text = 'x'.repeat(400_000);
  const items = Array.from({ length: 25 }, (_, n) => ({ key: `k${n}`, text }));
  const body = Buffer.from(JSON.stringify({ items }));
  const head = headOfPut(target, `Content-Length: ${body.length}`);
  return openHogs(target, connections, (socket) => {
    socket.pause();
    socket.write(head);
    socket.write(body);
  });
}

/** Each puts an item in chunks of one byte, without end. */
export function openTinyChunks(target: Target, connections: number, bytes: number): Promise<MemoryHogs> {
  const head = headOfPut(target, 'Transfer-Encoding: chunked');
  const chunks = Buffer.from('1\r\n \r\n'.repeat(bytes));
  return openHogs(target, connections, (socket) => {
    socket.write(head);
    socket.write(chunks);
    socket.resume();
  });
}

function headOfPut({ project, key }: Target, framing: string): string {
  const lines = [
    `PUT /v1/${project}/hogs/items HTTP/1.1`,
    'Host: x',
    `X-API-Key: ${key}`,
    'Content-Type: application/json',
    framing,
  ];
  return `${lines.join('\r\n')}\r\n\r\n`;
}

async function openHogs(target: Target, count: number, begin: (socket: Socket) => void): Promise<MemoryHogs> {
  const sockets = new Set<Socket>();
  async function open(): Promise<void> {
    const socket = await openSocket(target);
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    begin(socket);
  }
  for (let at = 0; at < count; at += connectAtOnce) {
    await Promise.all(Array.from({ length: Math.min(connectAtOnce, count - at) }, open));
  }
  return {
    get open() {
      return sockets.size;
    },
    stop() {
      for (const socket of sockets) socket.destroy();
    },
  };
}
