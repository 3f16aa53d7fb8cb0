import { once } from 'node:events';
import type { McpServerFactory } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { maxMessageBytes } from './bounds.js';

/**
 * Serves one client over the standard streams of this process, until the client closes one of them. `report` gets a
 * line for each message that is not of the protocol.
 */
export async function serveOverStdio(
  createServer: McpServerFactory,
  report: (line: string) => void,
): Promise<void> {
  const { stdin, stdout } = process;
  const transport = new StdioServerTransport(stdin, stdout, { maxBufferSize: maxMessageBytes });
  const ended = Promise.race([once(stdin, 'end'), once(stdin, 'close'), once(stdout, 'close')]).catch(
    () => {},
  );
  const handle = serveStdio(createServer, { transport, onerror: ({ message }) => report(message) });
  await ended;
  await handle.close();
}
