import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';

/** A command that must succeed; what it said is in the error when it does not. */
export async function run(
  command: readonly string[],
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<string> {
  const [name = '', ...words] = command;
  const child = spawn(name, words, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  const said = collected(child);
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}: ${said()}`);
  return said();
}

/** What a process has said so far, on both of its outputs. */
export function collected(child: ChildProcess): () => string {
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      text += chunk;
    });
  }
  return () => text;
}

/** A port of loopback that nobody listens on at this moment. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Asks again and again until it does not throw any more. */
export async function eventually<T>(what: string, ask: () => Promise<T>, withinMs = 60_000): Promise<T> {
  const endsMs = performance.now() + withinMs;
  for (;;) {
    try {
      return await ask();
    } catch (cause) {
      if (performance.now() > endsMs)
        throw new Error(`${what} did not come within ${withinMs} ms`, { cause });
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
