import type { CopyProgress } from '../copy/progress.js';

/** How a standby follows. */
export interface FollowProgress {
  /** `waiting`: a place cannot be reached now. `behind`: the log no longer has what comes next, so all is compared. */
  readonly phase: 'following' | 'waiting' | 'behind';
  /** Why it waits. */
  readonly problem?: string | undefined;
  /** For how long the oldest change that is not applied has waited; 0 if there is none. */
  readonly lagSeconds: number;
  /** The standby has everything that was acknowledged before this time, in milliseconds since 1970 UTC. */
  readonly asOfMs: number;
  /** What was applied since this run began to follow. */
  readonly rows: number;
  readonly blobs: number;
  readonly bytes: number;
  /** What could not be copied, because it is damaged at the source. */
  readonly problems: readonly string[];
}

export type StandbyProgress = CopyProgress | FollowProgress;

export function isFollowProgress(progress: StandbyProgress): progress is FollowProgress {
  return 'lagSeconds' in progress;
}
