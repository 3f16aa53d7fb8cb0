import { resolve } from 'node:path';
import type { Environment } from '../../config/settings.js';
import { engineVariables, isFolderPath, shownAddress } from '../../engines/registry.js';
import type { Store } from '../../engines/store.js';
import { OperatorError } from '../../operator-error.js';
import type { CopyPlaces } from '../../store/copy/places.js';
import type { CopyProgress } from '../../store/copy/progress.js';
import type { CopyReport } from '../../store/copy/report.js';
import { createRuns } from './runs.js';
import { type ControlCall, callControl, type Operations } from './socket.js';

/** What the command sends to the server. */
export interface CopyInput {
  readonly from: CopyPlaces;
  readonly to: CopyPlaces;
  readonly overwrite: boolean;
  readonly verify: boolean;
  /**
   * The engines' variables in the command's environment: they may give access to a store that the server cannot access.
   */
  readonly variables: Environment;
}

const operation = 'copy';

/** Requests have priority: a copy leaves them most of the threads that read and write files. */
export const blobsAtOnceServing = 2;

export interface CopyingServer {
  /** `--blobs` of the server. */
  readonly blobs: string | undefined;
  readonly environment: Environment;
  /** Keeps the bytes of overwritten and deleted files until the returned function is called. */
  readonly holdGarbage: () => () => void;
}

/** Imported only when a store is copied: so the server starts sooner. */
const copyModules = () =>
  Promise.all([
    import('../../store/copy/places.js'),
    import('../../store/copy/copy-store.js'),
    import('../../store/copy/throttle.js'),
  ]);

/** The server's side of `copy`: only the server can read the rows of its folder, so it copies them while it serves. */
export function copyOperations(
  source: Store,
  { blobs, environment, holdGarbage }: CopyingServer,
): Operations {
  const runs = createRuns();

  async function copy(input: unknown, { progress, signal }: ControlCall): Promise<CopyReport> {
    const { from, to, overwrite, verify, variables } = input as CopyInput;
    requireSameBlobs(from, blobs);
    const [{ withDestination }, { copyStore }, { createHalfSpeedThrottle }] = await copyModules();
    return await withDestination(to, { ...environment, ...variables }, (destination) =>
      copyStore({
        source,
        destination,
        holdGarbage,
        overwrite,
        verify,
        signal,
        blobsAtOnce: blobsAtOnceServing,
        throttle: createHalfSpeedThrottle(),
        listen: progress,
      }),
    );
  }

  return { [operation]: (input, call) => runs.run(call.signal, () => copy(input, call)) };
}

/** The command's side of `copy`. Gives undefined if no server has the folder. */
export async function copyThroughServer(
  folder: string,
  { environment, ...input }: Omit<CopyInput, 'variables'> & { readonly environment: Environment },
  listen: (progress: CopyProgress) => void,
) {
  const sent = { ...input, variables: engineVariables(environment) };
  return await callControl<CopyReport, CopyProgress>(folder, operation, sent, listen);
}

/** Refuses a source other than the store that the server serves. */
export function requireSameBlobs(from: CopyPlaces, own: string | undefined): void {
  const asked = from.blobs;
  const served = own !== undefined && isFolderPath(own) ? resolve(own) : own;
  if (asked === served) return;
  throw new OperatorError(
    served === undefined
      ? 'The running server stores its bytes in its data folder: give that folder alone in --from'
      : `The running server stores its bytes in ${shownAddress(served)}: give that in --from, after the data folder`,
  );
}
