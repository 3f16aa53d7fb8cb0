import { resolve } from 'node:path';
import type { Environment } from '../../config/settings.js';
import { engineVariables, isFolderPath, shownAddress } from '../../engines/registry.js';
import type { Store } from '../../engines/store.js';
import { OperatorError } from '../../operator-error.js';
import { copyStore } from '../../store/copy/copy-store.js';
import { type CopyPlaces, withDestination } from '../../store/copy/places.js';
import type { CopyProgress } from '../../store/copy/progress.js';
import type { CopyReport } from '../../store/copy/report.js';
import { createHalfSpeedThrottle } from '../../store/copy/throttle.js';
import { callControl, type Operations } from './socket.js';

/** What the command asks of the server. */
interface CopyInput {
  readonly from: CopyPlaces;
  readonly to: CopyPlaces;
  readonly overwrite: boolean;
  readonly verify: boolean;
  /** Of the command's environment: with them it may reach a store that the server cannot. */
  readonly variables: Environment;
}

const operation = 'copy';

/** Requests come first: a copy leaves them most of the threads that read and write files. */
const blobsAtOnceServing = 2;

export interface AboutServer {
  /** `--blobs` of the server. */
  readonly blobs: string | undefined;
  readonly environment: Environment;
}

/** The server's end: it has the rows of its folder for itself, so it copies them, while it serves. */
export function copyOperations(source: Store, { blobs, environment }: AboutServer): Operations {
  return {
    [operation]: async (input, { progress, signal }) => {
      const { from, to, overwrite, verify, variables } = input as CopyInput;
      requireSameBlobs(from, blobs);
      return await withDestination(to, { ...environment, ...variables }, (destination) =>
        copyStore({
          source,
          destination,
          overwrite,
          verify,
          signal,
          blobsAtOnce: blobsAtOnceServing,
          throttle: createHalfSpeedThrottle(),
          listen: progress,
        }),
      );
    },
  };
}

/** The command's end: gives undefined when no server has the folder. */
export async function copyThroughServer(
  folder: string,
  input: Omit<CopyInput, 'variables'> & { readonly environment: Environment },
  listen: (progress: CopyProgress) => void,
): Promise<{ readonly result: CopyReport } | undefined> {
  const { environment, ...rest } = input;
  const variables = engineVariables(environment);
  const answer = await callControl(folder, operation, { ...rest, variables }, (progress) =>
    listen(progress as CopyProgress),
  );
  return answer === undefined ? undefined : { result: answer.result as CopyReport };
}

/** The server copies what it serves: it is to be what was asked for. */
function requireSameBlobs(from: CopyPlaces, own: string | undefined): void {
  const asked = from.blobs;
  const served = own !== undefined && isFolderPath(own) ? resolve(own) : own;
  if (asked === served) return;
  throw new OperatorError(
    served === undefined
      ? 'The running server keeps its bytes in its data folder: --from names that folder alone'
      : `The running server keeps its bytes in ${shownAddress(served)}: name that in --from, behind the data folder`,
  );
}
