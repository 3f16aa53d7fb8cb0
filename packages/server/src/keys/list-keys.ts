import type { ItemStore } from '../engines/item-store.js';
import { type Clock, nowSeconds } from '../lib/clock.js';
import { byProjectThenAge, infoOf, type KeyInfo, type KeyPage, type KeyRange } from './key-administration.js';
import { timeText } from './limited/key-id.js';
import type { LimitedKeys } from './limited/limited-keys.js';
import type { ListedRows } from './limited/listed-rows.js';
import { readStoredKeys } from './stored-keys.js';
import type { UnlimitedKeys } from './unlimited-keys.js';

interface ListDependencies {
  readonly items: ItemStore;
  readonly unlimited: UnlimitedKeys;
  readonly limited: LimitedKeys;
  readonly clock: Clock;
}

const secondMs = 1000;

/** A page of the keys without limits and of the limited ones, by project and age. */
export async function listKeys(
  range: KeyRange,
  { items, unlimited, limited, clock }: ListDependencies,
): Promise<KeyPage> {
  const { project, after, limit } = range;
  const isMeant = (info: KeyInfo) =>
    (project === undefined || info.project === project) &&
    (after === undefined || byProjectThenAge(info, after) > 0);
  const now = nowSeconds(clock);
  const stored = Array.from(await readStoredKeys(items));
  const ofUnlimited = stored.map(([id, row]) => unlimited.infoNow(id, row)).filter(isMeant);
  const rows = await limited.list({ project, after: listedAfter(range), limit: limit + 1 });
  const ofLimited = rows.map(([id, row]) => infoOf(id, row)).filter(isMeant);
  const isValid = ({ limits }: KeyInfo) => (limits?.expiresAtSeconds ?? Number.POSITIVE_INFINITY) > now;
  const all = [...ofUnlimited, ...ofLimited].sort(byProjectThenAge);
  const keys = all.slice(0, limit);
  return { keys: keys.filter(isValid), last: all.length > limit ? keys.at(-1) : undefined };
}

/** Where the limited keys after a position begin: their ids begin with their time. */
function listedAfter({ after }: KeyRange): ListedRows['after'] {
  if (after === undefined) return undefined;
  const { project, createdSeconds, id } = after;
  const [begin, end] = [createdSeconds, createdSeconds + 1].map((seconds) => timeText(seconds * secondMs));
  return { project, id: [begin, id, end].sort()[1] as string };
}
