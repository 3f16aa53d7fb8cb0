import type { Environment } from '../../config/settings.js';
import { engineVariables } from '../../engines/registry.js';
import type { Store } from '../../engines/store.js';
import type { BackupReport } from '../../store/backup/report.js';
import type { CopyProgress } from '../../store/copy/progress.js';
import { blobsAtOnceServing, type CopyingServer } from './copy-operation.js';
import { createRuns } from './runs.js';
import { type ControlCall, callControl, type Operations } from './socket.js';

/** What the command sends to the server. */
interface BackupInput {
  /** A URL, or the absolute path of a folder. */
  readonly to: string;
  readonly keepMs: number | undefined;
  readonly verify: boolean;
  readonly variables: Environment;
}

const operation = 'backup';

/** Imported only when a backup is taken: so the server starts sooner. */
const backupModules = () =>
  Promise.all([
    import('../../store/backup/place.js'),
    import('../../store/backup/take-backup.js'),
    import('../../store/copy/throttle.js'),
  ]);

/** The server's side of `backup`: only the server can read the rows of its folder at one moment. */
export function backupOperations(
  source: Store,
  { environment, holdGarbage }: Omit<CopyingServer, 'blobs'>,
): Operations {
  const runs = createRuns('The server is making a backup already');

  async function backUp(input: unknown, { progress, signal }: ControlCall): Promise<BackupReport> {
    const { to, variables, ...options } = input as BackupInput;
    const [{ openPlace }, { takeBackup }, { createHalfSpeedThrottle }] = await backupModules();
    const place = await openPlace(to, { ...environment, ...variables }, true);
    try {
      return await takeBackup({
        ...options,
        source,
        place,
        shown: to,
        holdGarbage,
        signal,
        blobsAtOnce: blobsAtOnceServing,
        throttle: createHalfSpeedThrottle(),
        listen: progress,
      });
    } finally {
      await place.close();
    }
  }

  return {
    [operation]: (input, call) => runs.run(call.signal, () => backUp(input, call)),
  };
}

/** The command's side of `backup`. Gives undefined if no server has the folder. */
export async function backupThroughServer(
  folder: string,
  { environment, ...input }: Omit<BackupInput, 'variables'> & { readonly environment: Environment },
  listen: (progress: CopyProgress) => void,
) {
  const sent = { ...input, variables: engineVariables(environment) };
  return await callControl<BackupReport, CopyProgress>(folder, operation, sent, listen);
}
