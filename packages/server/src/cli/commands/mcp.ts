import type { AddressInfo } from 'node:net';
import { mcpTokenVariable } from '../../config/variables.js';
import type { CommandContext, RegisterCommand } from '../command.js';
import { type HttpListener, type HttpOptions, httpListener } from '../mcp-http.js';
import { addServerOptions, type ProjectOptions, projectOnServer, withAdvice } from '../with-project.js';

interface Given extends ProjectOptions, HttpOptions {
  readonly write?: boolean;
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
    .option(
      '--token-file <file>',
      `with --http, answer only requests with the token in this file [${mcpTokenVariable}: the token]`,
    )
    .action((given: Given) => serveMcp(context, given));
  addServerOptions(context, command);
};

async function serveMcp(context: CommandContext, given: Given): Promise<void> {
  const { err, environment } = context.terminal;
  const report = (line: string) => err(`basedrive: ${line}`);
  const listener = await httpListener(given, environment);
  const { url, key } = await projectOnServer(context, given);
  if (context.program.opts<{ readonly keys?: unknown }>().keys !== undefined) {
    report('warning: --key is visible in the list of processes; prefer --key-file or BASEDRIVE_KEY');
  }
  const { openProject } = await import('../../mcp/project.js');
  const { createServer, toolsFor } = await import('../../mcp/server.js');
  const project = await openProject(url, key, (line) => report(`warning: ${withAdvice(line)}`));
  const tools = toolsFor(project, given.write === true);
  const create = () => createServer(project, tools, report);
  const may = tools.some((tool) => tool.writes) ? 'reading and writing' : 'reading';
  const announce = (where: string) => err(`Project ${project.name} at ${url.origin}, for ${may}, ${where}`);
  if (listener !== undefined) return await serveHttp(create, listener, { report, announce });
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
  { host, port, token, isPublic }: HttpListener,
  { report, announce }: Lines,
): Promise<void> {
  const { createHttpService, mcpPath } = await import('../../mcp/serve-http.js');
  const { listen } = await import('../../server/listen.js');
  const { http, stop } = createHttpService(create, { token, report });
  const stopAsked = new Promise((resolve) => process.once('SIGINT', resolve).once('SIGTERM', resolve));
  await listen(http, { host, port, setting: '(--http)' });
  if (token === undefined) {
    report('warning: there is no token: every user of this machine may use the tools; see --token-file');
  } else if (isPublic) {
    report('warning: this is plain HTTP: let others reach it only through a proxy with a certificate');
  }
  const { port: bound } = http.address() as AddressInfo;
  announce(`on http://${host.includes(':') ? `[${host}]` : host}:${bound}${mcpPath}`);
  await stopAsked;
  await stop();
}
