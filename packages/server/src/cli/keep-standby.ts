import { setTimeout as wait } from 'node:timers/promises';
import type { Environment } from '../config/settings.js';
import { openItems } from '../engines/registry.js';
import { unlessAborted } from '../lib/concurrency/unless-aborted.js';
import { OperatorError } from '../operator-error.js';
import { followThroughServer, knownStandby, openStandbySocket } from '../server/control/standby-operation.js';
import type { CopyPlaces } from '../store/copy/places.js';
import { withBlobs, withDestination } from '../store/copy/places.js';
import { followStore } from '../store/standby/follow-store.js';
import { isFollowProgress, type StandbyProgress } from '../store/standby/progress.js';
import { sharedLog } from '../store/standby/source-log.js';
import { createStandbyLines } from './output/standby-progress.js';
import { untilStopped } from './stop-signal.js';
import type { Terminal } from './terminal.js';

export interface StandbyOptions {
  readonly from: CopyPlaces;
  readonly to: CopyPlaces;
  readonly overwrite: boolean;
  readonly environment: Environment;
  readonly blobsAtOnce: number;
  readonly terminal: Pick<Terminal, 'out' | 'err' | 'show'>;
  /** Whether each progress is printed as a line of JSON. */
  readonly json: boolean;
}

const retryMs = 1000;

/**
 * Keeps a standby until the process is asked to stop. The server that has the data folder of the source keeps it; when
 * that stops, this waits for it. From rows in a database, this process follows by itself. Throws `OperatorError`.
 */
export async function keepStandby({ terminal, json, ...options }: StandbyOptions): Promise<void> {
  const { out, err, show } = terminal;
  const lines = createStandbyLines({ print: err, show });
  const listen = (progress: StandbyProgress) => {
    if (json) out(JSON.stringify(progress));
    else lines(progress);
  };
  await untilStopped('the standby stays as it is; run it again to go on', async (signal) => {
    const { dataFolder, items } = options.from;
    if (items !== undefined) await directly(options, items, { listen, signal });
    else await throughServers(options, dataFolder ?? '', { listen, signal, say: err });
    // It returns only when it was asked to stop.
    throw new OperatorError('The following has ended');
  }).finally(() => show?.(''));
}

interface Listening {
  readonly listen: (progress: StandbyProgress) => void;
  readonly signal: AbortSignal;
}

async function throughServers(
  { from, to, overwrite, environment }: Omit<StandbyOptions, 'terminal' | 'json'>,
  folder: string,
  { listen, signal, say }: Listening & { readonly say: (line: string) => void },
): Promise<void> {
  let isFirst = true;
  let asOfMs: number | undefined;
  const heard = (progress: StandbyProgress) => {
    isFirst = true;
    if (isFollowProgress(progress)) ({ asOfMs } = progress);
    listen(progress);
  };
  while (!signal.aborted) {
    // Only the first time: a standby that came to be needs no leave to be overwritten.
    const input = { from, to, overwrite: overwrite && asOfMs === undefined, asOfMs, environment };
    await unlessAborted(followThroughServer(folder, input, heard), signal);
    if (signal.aborted) return;
    if (isFirst) say(`No server runs on ${folder}: waiting for it`);
    isFirst = false;
    await wait(retryMs, undefined, { signal }).catch(() => {});
  }
}

async function directly(
  { from, to, overwrite, environment, blobsAtOnce }: Omit<StandbyOptions, 'terminal' | 'json'>,
  address: string,
  { listen, signal }: Listening,
): Promise<void> {
  const items = await openItems({ address, variables: environment, create: false });
  let told: { readonly progress: StandbyProgress; readonly atMs: number } | undefined;
  const known = () =>
    told ? [knownStandby({ from, to }, told.progress, performance.now() - told.atMs)] : [];
  try {
    const log = await sharedLog(items);
    await withBlobs(from, items, environment, (source) =>
      withDestination(to, environment, async (destination) => {
        const control = await openStandbySocket(to, known);
        try {
          await followStore({
            source,
            destination,
            log,
            overwrite,
            blobsAtOnce,
            signal,
            listen(progress) {
              told = { progress, atMs: performance.now() };
              listen(progress);
            },
          });
        } finally {
          await control?.close();
        }
      }),
    );
  } finally {
    await items.close();
  }
}
