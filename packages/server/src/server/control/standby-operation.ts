import type { Environment } from '../../config/settings.js';
import { engineVariables, shownAddress } from '../../engines/registry.js';
import type { Store } from '../../engines/store.js';
import type { StoredLog } from '../../feed/stored-log.js';
import { OperatorError } from '../../operator-error.js';
import type { CopyPlaces } from '../../store/copy/places.js';
import { isFollowProgress, type StandbyProgress } from '../../store/standby/progress.js';
import {
  blobsAtOnceServing,
  type CopyInput,
  type CopyingServer,
  requireSameBlobs,
} from './copy-operation.js';
import { createRuns } from './runs.js';
import { anyOther, type ControlCall, callControl, isCut, type Operations, openControl } from './socket.js';

type FollowInput = Omit<CopyInput, 'verify'>;

/** A standby that a process keeps, as others are told of it. */
export interface KnownStandby {
  /** Where it is: without passwords. */
  readonly to: string;
  /** Of what: the place of the source. */
  readonly from: string;
  readonly phase: StandbyProgress['phase'];
  /** Undefined while all is compared. */
  readonly lagSeconds?: number | undefined;
}

const follow = 'follow';
const listStandbys = 'standbys';

const followModules = () =>
  Promise.all([
    import('../../store/copy/places.js'),
    import('../../store/standby/follow-store.js'),
    import('../../store/standby/source-log.js'),
    import('../../store/copy/throttle.js'),
  ]);

export type Standbys = ReturnType<typeof createStandbys>;

/** The server's side of `copy --follow`: only the server can read the rows of its folder, so it keeps the standby. */
export function createStandbys(
  source: Store,
  changes: StoredLog | undefined,
  { blobs, environment, holdGarbage }: CopyingServer,
) {
  const runs = createRuns();
  const told = new Map<object, { readonly input: FollowInput; progress: StandbyProgress; atMs: number }>();
  /** The standbys that this process keeps. */
  const known = (): readonly KnownStandby[] =>
    [...told.values()].map(({ input, progress, atMs }) =>
      knownStandby(input, progress, performance.now() - atMs),
    );

  async function keep(input: FollowInput, { progress, signal }: ControlCall): Promise<void> {
    const { from, to, overwrite, variables } = input;
    requireSameBlobs(from, blobs);
    const [places, { followStore }, { ownLog }, { createHalfSpeedThrottle }] = await followModules();
    const log = ownLog(changes);
    await places.withDestination(to, { ...environment, ...variables }, async (destination) => {
      const run = {};
      const control = await openStandbySocket(to, () => known());
      try {
        await followStore({
          source,
          destination,
          log,
          overwrite,
          signal,
          holdGarbage,
          blobsAtOnce: blobsAtOnceServing,
          throttle: createHalfSpeedThrottle(),
          listen(now) {
            told.set(run, { input, progress: now, atMs: performance.now() });
            progress(now);
          },
        });
      } finally {
        told.delete(run);
        await control?.close();
      }
    });
  }

  const operations: Operations = {
    [follow]: (input, call) => runs.run(call.signal, () => keep(input as FollowInput, call)),
    [listStandbys]: async () => known(),
  };
  return { known, operations };
}

/** In the folder of a standby, `doctor` asks who keeps it. */
export async function openStandbySocket(to: CopyPlaces, known: () => readonly KnownStandby[]) {
  if (to.dataFolder === undefined || to.items !== undefined) return undefined;
  const { dataFolder } = to;
  const own = async () => known().filter((one) => one.to.startsWith(dataFolder));
  const refuse = async () => {
    throw new OperatorError(`${dataFolder} is a standby that copy --follow keeps: end that command first`);
  };
  return await openControl(dataFolder, { [listStandbys]: own, [anyOther]: refuse }, () => {});
}

export function knownStandby(
  { from, to }: Pick<FollowInput, 'from' | 'to'>,
  progress: StandbyProgress,
  agoMs: number,
): KnownStandby {
  const lag = isFollowProgress(progress) ? progress.lagSeconds : undefined;
  const isEven = isFollowProgress(progress) && progress.phase === 'following' && lag === 0;
  return {
    to: shownPlaces(to),
    from: shownPlaces(from),
    phase: progress.phase,
    lagSeconds: lag === undefined || isEven ? lag : lag + agoMs / 1000,
  };
}

function shownPlaces({ dataFolder, items, blobs }: CopyPlaces): string {
  const parts = [items === undefined ? dataFolder : shownAddress(items), blobs && shownAddress(blobs)];
  return parts.filter((part) => part !== undefined).join(' ');
}

/** The command's side. Resolves when the server has stopped; gives false if none has the folder. Throws `OperatorError`. */
export async function followThroughServer(
  folder: string,
  { environment, ...input }: Omit<FollowInput, 'variables'> & { readonly environment: Environment },
  listen: (progress: StandbyProgress) => void,
): Promise<boolean> {
  try {
    const sent = { ...input, variables: engineVariables(environment) };
    return (await callControl(folder, follow, sent, listen)) !== undefined;
  } catch (cause) {
    if (isCut(cause)) return true;
    throw cause;
  }
}

/** The standbys that the process in a folder keeps, or whose destination the folder is; undefined if none listens. */
export async function standbysOf(folder: string): Promise<readonly KnownStandby[] | undefined> {
  try {
    return (await callControl<readonly KnownStandby[]>(folder, listStandbys, null))?.result;
  } catch (cause) {
    // A server of another version, or one that is stopping.
    if (cause instanceof OperatorError) return undefined;
    throw cause;
  }
}
