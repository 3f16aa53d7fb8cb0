import { setTimeout as wait } from 'node:timers/promises';
import type { Environment } from '../../config/settings.js';
import { engineVariables, shownAddress } from '../../engines/registry.js';
import { StorageUnavailable, StoreMissing } from '../../engines/storage-errors.js';
import type { Store } from '../../engines/store.js';
import type { StoredLog } from '../../feed/stored-log.js';
import { isSystemError } from '../../lib/folder.js';
import { OperatorError } from '../../operator-error.js';
import type { Destination } from '../../store/copy/copy-marker.js';
import type { CopyPlaces } from '../../store/copy/places.js';
import { NoStore } from '../../store/data-folder.js';
import type { FollowOptions } from '../../store/standby/follow-store.js';
import { type FollowProgress, isFollowProgress, type StandbyProgress } from '../../store/standby/progress.js';
import {
  blobsAtOnceServing,
  type CopyInput,
  type CopyingServer,
  requireSameBlobs,
} from './copy-operation.js';
import { createRuns } from './runs.js';
import { anyOther, type ControlCall, callControl, isCut, type Operations, openControl } from './socket.js';

/** What the command sends to the server. */
interface FollowInput extends Omit<CopyInput, 'verify'> {
  /**
   * Set when the command has followed before, and the server that it did so through has stopped: how far the standby was
   * then. So it is there, and what cannot be reached is waited for.
   */
  readonly asOfMs?: number | undefined;
}

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

const operation = 'follow';
const listStandbys = 'standbys';
const retryMs = 1000;

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
    const run = {};
    const listen = (now: StandbyProgress) => {
      told.set(run, { input, progress: now, atMs: performance.now() });
      progress(now);
    };
    try {
      while (!signal.aborted) {
        try {
          return await follow(input, { listen, signal });
        } catch (cause) {
          if (input.asOfMs === undefined || !isAway(cause)) throw cause;
          listen(waitingFor(cause, input));
        }
        await wait(retryMs, undefined, { signal }).catch(() => {});
      }
    } finally {
      told.delete(run);
    }
  }

  async function follow(
    { from, to, overwrite, asOfMs, variables }: FollowInput,
    { listen, signal }: Pick<FollowOptions, 'listen' | 'signal'>,
  ): Promise<void> {
    requireSameBlobs(from, blobs);
    const [places, { followStore }, { ownLog }, { createHalfSpeedThrottle }] = await followModules();
    const log = ownLog(changes);
    const use = async (destination: Destination) => {
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
          listen,
        });
      } finally {
        await control?.close();
      }
    };
    // Where a disk is not mounted, another standby would come to be in its place.
    const mustExist = asOfMs !== undefined;
    await places.withDestination(to, { ...environment, ...variables }, use, { mustExist });
  }

  const operations: Operations = {
    [operation]: (input, call) => runs.run(call.signal, () => keep(input as FollowInput, call)),
    [listStandbys]: async () => known(),
  };
  return { known, operations };
}

/** Whether a place was not reached, or is not there: its disk may not be mounted yet. */
function isAway(cause: unknown): cause is Error {
  if (!(cause instanceof Error)) return false;
  const isOne =
    cause instanceof StorageUnavailable || cause instanceof StoreMissing || cause instanceof NoStore;
  return isOne || isSystemError(cause) || isAway(cause.cause);
}

function waitingFor(cause: Error, { to, asOfMs = 0 }: FollowInput): FollowProgress {
  const isMissing = cause instanceof NoStore || cause instanceof StoreMissing;
  const problem = isMissing
    ? `the standby is not in ${shownPlaces(to)}: mount its disk (copy --follow that is started anew makes another one there)`
    : cause.message;
  // It was never even.
  const lagSeconds = asOfMs === 0 ? 0 : Math.max(0, Date.now() - asOfMs) / 1000;
  return {
    phase: 'waiting',
    problem,
    lagSeconds,
    asOfMs,
    rows: 0,
    blobs: 0,
    bytes: 0,
    problems: [],
  };
}

/** In the folder of a standby, `doctor` asks who keeps it. */
export async function openStandbySocket(to: CopyPlaces, known: () => readonly KnownStandby[]) {
  if (to.dataFolder === undefined || to.items !== undefined) return undefined;
  const { dataFolder } = to;
  const own = async () => known().filter((one) => one.to === shownPlaces(to));
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
    return (await callControl(folder, operation, sent, listen)) !== undefined;
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
