import { hasEnded } from '../access/grant.js';
import { readLogValue } from '../engines/change-log.js';
import type { ItemStore } from '../engines/item-store.js';
import { readSelection } from '../feed/changes-parameters.js';
import { collectChanges, Room } from '../feed/collect-changes.js';
import { cursorOf } from '../feed/position.js';
import type { FeedService } from '../feed/service.js';
import type { KeyRing } from '../keys/key-ring.js';
import { type Clock, nowSeconds } from '../lib/clock.js';
import { runAtOnce } from '../lib/concurrency/time-slices.js';
import { changesSpaceOf } from '../spaces.js';
import type { Hook } from './hook.js';

/** The most changes in a message. */
export const maxChanges = 100;
const usualWaitMs = 60_000;

/** What follows a cursor of a webhook. */
export interface Waiting {
  readonly changes: readonly string[];
  /** Where they end. */
  readonly cursor: string;
  /** Whether nothing more is there for now. */
  readonly isLive: boolean;
}

export interface ReadingHooks {
  readonly items: Pick<ItemStore, 'get'>;
  readonly feed: FeedService;
  readonly keys: Pick<KeyRing, 'grantOf' | 'linkSecret' | 'readId'>;
  readonly clock: Clock;
  /** How long to wait for changes before the cursor moves on. */
  readonly waitMs?: number;
}

/** How a webhook waits for changes. */
export interface ReadingOptions {
  /** Whether its cursor is the one that is stored. */
  readonly isStored: boolean;
  readonly isOver: () => boolean;
  /** Resolves when a large message may be read. */
  readonly admitLarge: () => Promise<void>;
}

/**
 * Waits for what a webhook has to send: as many changes as last time if that failed, so that the same message is sent
 * again. Undefined if its key has ended, or `isOver`. Throws the 410 `RequestError` of a cursor that is too old.
 */
export async function nextChanges(
  hook: Hook,
  { feed, keys, clock, waitMs = usualWaitMs }: ReadingHooks,
  { isStored, isOver, admitLarge }: ReadingOptions,
): Promise<Waiting | undefined> {
  await keys.readId(hook.keyId);
  const grant = keys.grantOf(hook.keyId);
  if (grant?.project !== hook.project) return undefined;
  const room = new Room(hook.failing?.changes ?? maxChanges, admitLarge);
  const reader = {
    project: hook.project,
    grant,
    isOver: () => isOver() || hasEnded(grant, clock),
    isStored,
    most: room.left,
  };
  const requested = runAtOnce(readSelection({ get: (name) => hook.followed[name] }));
  const found = await collectChanges(
    { open: (after) => feed.follow(reader, requested, after === undefined ? hook.cursor : cursorOf(after)) },
    room,
    waitMs,
  );
  // What was read for a key that has ended since is not sent.
  if (found === undefined || reader.isOver()) return undefined;
  const { changes, position, isLive } = found;
  return { changes, cursor: cursorOf(position), isLive };
}

/** The number of its transaction; undefined for what a snapshot has. */
export function txOf(change: string): string | undefined {
  return /"tx":"(\d+)"\}$/.exec(change)?.[1];
}

/** When a change was made, in seconds since 1970 UTC: now, if it is of a snapshot. */
export async function madeAtSeconds(
  project: string,
  change: string,
  { items, clock }: Pick<ReadingHooks, 'items' | 'clock'>,
): Promise<number> {
  const tx = txOf(change);
  const row = tx && (await items.get(changesSpaceOf(project), tx));
  return row ? readLogValue(row).atSeconds : nowSeconds(clock);
}
