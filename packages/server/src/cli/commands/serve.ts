import type { Command } from 'commander';
import type { Settings } from '../../config/settings.js';
import type { CommandContext, RegisterCommand } from '../command.js';
import { unknownCommand } from '../unknown-command.js';

/**
 * A terminal sends Ctrl-C to the whole group of processes, and npm passes the signal on besides: within this
 * time it is one signal that came twice.
 */
const sameSignalMs = 300;

/**
 * `serve`: runs until `SIGTERM` or `SIGINT`; then stops accepting, finishes the requests in progress (bounded by the
 * grace), and closes the engines. A second signal ends the process at once.
 */
export const serveCommand: RegisterCommand = (context) => {
  context.program
    .command('serve', { isDefault: true })
    .description('serve bases and drives (the default command)')
    .configureHelp({ showGlobalOptions: true })
    .allowExcessArguments()
    .action(async (_options, command: Command) => {
      // commander hands the default command every word that names no other.
      const [word] = command.args;
      if (word !== undefined) throw unknownCommand(word);
      await serve(context.settings(), context);
    });
};

async function serve(settings: Settings, { terminal }: CommandContext): Promise<void> {
  const stopAsked = nextSignal();
  const { start } = await import('../../server/start.js');
  const { announce, announceKeys } = await import('../../server/startup-message.js');
  const service = await start(settings, terminal.environment);
  announce(service, settings, terminal.err);
  await announceKeys(service, settings, terminal.err);
  await stopAsked;
  await service.stop();
}

function nextSignal(): Promise<void> {
  return new Promise((resolve) => {
    let firstMs: number | undefined;
    const onSignal = (signal: 'SIGTERM' | 'SIGINT') => {
      const now = performance.now();
      firstMs ??= now;
      if (now - firstMs > sameSignalMs) process.exit(signal === 'SIGINT' ? 130 : 143);
      resolve();
    };
    process.on('SIGTERM', onSignal);
    process.on('SIGINT', onSignal);
  });
}
