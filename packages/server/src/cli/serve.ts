import type { Settings } from '../config/settings.js';
import { newProject } from '../keys/api-key.js';
import { start } from '../server/start.js';
import { announce, announceFirstKey } from '../server/startup-message.js';
import type { Terminal } from './terminal.js';

/**
 * A terminal sends Ctrl-C to the whole group of processes, and npm passes the signal on besides: within this
 * time it is one signal that came twice.
 */
const sameSignalMs = 300;

/**
 * `serve`: runs until `SIGTERM` or `SIGINT`; then stops accepting, finishes what runs (bounded by the grace),
 * and closes the engines. A second signal ends the process at once.
 */
export async function serve(settings: Settings, terminal: Terminal): Promise<void> {
  const stopAsked = nextSignal();
  const service = await start(settings, terminal.environment);
  announce(service, settings, terminal.err);
  if (service.keys.isEmpty) {
    // "At the very first start with no key anywhere the server makes a project and prints its key once"
    const made = await service.keys.createFirst(newProject());
    if (made !== undefined) announceFirstKey(made, service, settings, terminal.err);
  }
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
