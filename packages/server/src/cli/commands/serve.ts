import type { Command } from 'commander';
import type { LogFormat, Settings } from '../../config/settings.js';
import { programName } from '../../config/variables.js';
import { counted } from '../../lib/text/words.js';
import { OperatorError } from '../../operator-error.js';
import type { CommandContext, RegisterCommand } from '../command.js';
import { isLoopback } from '../loopback.js';
import { nextSignal, type StopSignal } from '../stop-signal.js';
import { unknownCommand } from '../unknown-command.js';

/**
 * `serve`: runs until `SIGTERM` or `SIGINT`. Then it accepts nothing more, finishes the requests in progress within the
 * grace, and closes the engines. A second signal ends the process at once.
 */
export const serveCommand: RegisterCommand = (context) => {
  context.program
    .command('serve', { isDefault: true })
    .description('serve bases and drives (the default command)')
    .configureHelp({ showGlobalOptions: true })
    .allowExcessArguments()
    .option(
      '--test',
      'be a server for tests: with --memory, on this machine only, controlled by POST /_test/…',
    )
    .action(async (options: { readonly test?: boolean }, command: Command) => {
      // commander gives the default command every word that is not the name of a command.
      const [word] = command.args;
      if (word !== undefined) throw unknownCommand(word, context.program);
      const settings = context.settings();
      await (options.test ? serveTests(settings, context) : serve(settings, context));
    });
};

/** A server whose clock, content and faults its clients control (docs/testing.md). */
async function serveTests(settings: Settings, { terminal }: CommandContext): Promise<void> {
  if (!settings.memory) throw new OperatorError('--test: needs --memory, because tests delete everything');
  if (!isLoopback(settings.host))
    throw new OperatorError('--test: --host must be an address of this machine, such as 127.0.0.1');
  if (settings.https || settings.tlsCert !== undefined || settings.metrics !== undefined)
    throw new OperatorError('--test: serves neither HTTPS nor metrics');
  if (settings.workers !== 0)
    throw new OperatorError('--test: is one process; do not give --workers with it');
  if (settings.traces === 'on') throw new OperatorError('--test: makes no traces');
  const stopAsked = nextSignal();
  const { runTestServer } = await import('../../testing/test-server.js');
  const { openLog } = await import('../../server/log-output.js');
  const { logger, flush } = await openLog(
    settings.logLevel,
    logFormatFor(settings.logFormat, terminal.outIsTerminal),
  );
  const server = await runTestServer(settings, logger);
  terminal.err(`Basedrive listens on ${server.url}`);
  terminal.err('Data is stored in memory, for tests');
  if (settings.keys.length === 0) terminal.err(`The key is ${server.key}`);
  await stopAsked;
  await server.stop();
  flush();
}

async function serve(settings: Settings, { terminal }: CommandContext): Promise<void> {
  const stopAsked = nextSignal();
  const { start } = await import('../../server/start.js');
  const { announce, announceKeys } = await import('../../server/startup-message.js');
  const { environment, outIsTerminal, err } = terminal;
  const logFormat = logFormatFor(settings.logFormat, outIsTerminal);
  const service = await start(settings, { environment, logFormat });
  announce(service, settings, err);
  await announceKeys(service, settings, programName(environment), err);
  const signal = await stopAsked;
  err(stoppingText(signal, service.requestsInFlight(), settings.shutdownGraceMs));
  await service.stop(signal);
}

/** The format of the log: `auto` is for people on a terminal, and for programs elsewhere. */
export function logFormatFor(asked: LogFormat, outIsTerminal: boolean): 'json' | 'pretty' {
  if (asked !== 'auto') return asked;
  return outIsTerminal ? 'pretty' : 'json';
}

function stoppingText(signal: StopSignal, requestsInFlight: number, graceMs: number): string {
  if (requestsInFlight === 0) return 'Stopping';
  const requests = counted(requestsInFlight, 'request');
  const hint = signal === 'SIGINT' ? '; press Ctrl-C again to stop at once' : '';
  return `Stopping: waiting for ${requests} in progress, at most ${graceMs / 1000} s${hint}`;
}
