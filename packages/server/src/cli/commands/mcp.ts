import type { AddressInfo } from 'node:net';
import { type ListenAddress, listenAddress } from '../../config/values.js';
import { OperatorError } from '../../operator-error.js';
import type { CommandContext, RegisterCommand } from '../command.js';
import { isLoopback } from '../loopback.js';
import { addServerOptions, type ProjectOptions, projectOnServer } from '../with-project.js';

interface Given extends ProjectOptions {
  readonly write?: boolean;
  readonly http?: string;
}

/** `mcp`: gives agents tools for what a key reaches (docs/agents.md). */
export const mcpCommand: RegisterCommand = (context) => {
  const command = context.program
    .command('mcp')
    .description(
      'give agents tools that read bases and drives (Model Context Protocol); on standard input and output, for a' +
        ' client that starts this command, or over HTTP',
    )
    .option('--write', 'give tools that change data, too')
    .option('--http <address>', 'serve over HTTP on this address of this machine, such as 127.0.0.1:8090')
    .action((given: Given) => serveMcp(context, given));
  addServerOptions(context, command);
};

async function serveMcp(context: CommandContext, given: Given): Promise<void> {
  const { err } = context.terminal;
  const report = (line: string) => err(`basedrive: ${line}`);
  const address = given.http === undefined ? undefined : httpAddress(given.http);
  const { url, key } = await projectOnServer(context, given);
  if (context.program.opts<{ readonly keys?: unknown }>().keys !== undefined) {
    report('warning: --key is visible in the list of processes; prefer --key-file or BASEDRIVE_KEY');
  }
  const { openProject } = await import('../../mcp/project.js');
  const { createServer, toolsFor } = await import('../../mcp/server.js');
  const project = await openProject(url, key, (line) => report(`warning: ${line}`));
  const tools = toolsFor(project, given.write === true);
  const create = () => createServer(project, tools, report);
  const may = tools.some((tool) => tool.writes) ? 'reading and writing' : 'reading';
  const announce = (where: string) => err(`Project ${project.name} at ${url.origin}, for ${may}, ${where}`);
  if (address !== undefined) return await serveHttp(create, address, { report, announce });
  const { serveOverStdio } = await import('../../mcp/serve-stdio.js');
  announce('on standard input and output');
  await serveOverStdio(create, report);
}

interface Lines {
  readonly report: (line: string) => void;
  readonly announce: (where: string) => void;
}

async function serveHttp(
  create: Parameters<typeof import('../../mcp/serve-http.js').createHttpService>[0],
  { host, port }: ListenAddress,
  { report, announce }: Lines,
): Promise<void> {
  const { createHttpService, mcpPath } = await import('../../mcp/serve-http.js');
  const { listen } = await import('../../server/listen.js');
  const { http, stop } = createHttpService(create, report);
  const stopAsked = new Promise((resolve) => process.once('SIGINT', resolve).once('SIGTERM', resolve));
  await listen(http, { host, port, setting: '(--http)' });
  const { port: bound } = http.address() as AddressInfo;
  announce(`on http://${host.includes(':') ? `[${host}]` : host}:${bound}${mcpPath}`);
  await stopAsked;
  await stop();
}

function httpAddress(given: string): ListenAddress {
  try {
    const address = listenAddress([given]);
    if (isLoopback(address.host)) return address;
  } catch {
    // It is no address at all.
  }
  throw new OperatorError(
    `--http ${given}: must be an address of this machine that others cannot reach, and a port, such as 127.0.0.1:8090`,
  );
}
