import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Target } from '../target.js';

const program = fileURLToPath(new URL('./flood-process.js', import.meta.url));

/** Requests that are sent again and again on each connection, one after the other, without waiting for answers. */
export const floodShapes: Readonly<Record<string, (items: string, key: string) => string>> = {
  'gets without a key': (items) => `GET ${items}/k HTTP/1.1\r\nHost: x\r\n\r\n`,
  'gets with a key': (items, key) => `GET ${items}/k HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n\r\n`,
  'gets that only the general parser reads': (items, key) =>
    `GET ${items}/k HTTP/1.1\r\nHost: x\r\nTE: trailers\r\nX-API-Key: ${key}\r\n\r\n`,
  'gets of a path that does not exist': () => 'GET / HTTP/1.1\r\nHost: x\r\n\r\n',
  'the shortest requests': () => 'GET / HTTP/1.1\r\n\r\n',
  puts: (items, key) => put(items, key, `Content-Length: ${item.length}`, item),
  'puts in chunks': (items, key) =>
    put(items, key, 'Transfer-Encoding: chunked', `${item.length.toString(16)}\r\n${item}\r\n0\r\n\r\n`),
};

const item = '{"items":[{"key":"k"}]}';

function put(items: string, key: string, framing: string, body: string): string {
  return `PUT ${items} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\n${framing}\r\n\r\n${body}`;
}

export interface Flood {
  stop(): Promise<void>;
}

/** Floods a server from a process of its own. Resolves when all connections are open. */
export async function startFlood(
  target: Target,
  { shape, connections }: { readonly shape: string; readonly connections: number },
): Promise<Flood> {
  const { url, project, key } = target;
  const words = [program, url.protocol, url.port, project, key, String(connections), shape];
  const child = spawn(process.execPath, words, { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  await once(child.stdout, 'data');
  return {
    async stop() {
      child.stdin.end();
      await ended;
    },
  };
}
