import type { McpServerFactory } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createStdioTransport } from './stdio-transport.js';

/**
 * Serves one client over the standard streams of this process, until the client closes its end and what it asked is
 * answered. `report` gets a line for each message that is not of the protocol.
 */
export async function serveOverStdio(
  createServer: McpServerFactory,
  report: (line: string) => void,
): Promise<void> {
  const transport = createStdioTransport(process.stdin, process.stdout);
  const handle = serveStdio(createServer, { transport, onerror: ({ message }) => report(message) });
  await transport.ended;
  await handle.close();
}
