import { runInSlices } from '../../lib/concurrency/time-slices.js';
import { untilAbandoned } from '../../request-error.js';
import { Profile } from '../profile/profile.js';
import { sampleKeys, within } from '../profile/sample-keys.js';
import type { Criteria } from '../query/query-body.js';
import { allMatches, type MatchReading, type QueryTarget } from './find-matches.js';

/** Places among the keys from which a sample is read. */
const maxPlaces = 32;

/**
 * Reads what matches, and gives the JSON of its profile; of a sample if there is more than a profile reads
 * (docs/http.md#profile). Others are served in the meantime.
 */
export async function profileMatches(
  reading: MatchReading,
  target: QueryTarget,
  criteria: Criteria,
): Promise<string> {
  const whole = new Profile();
  if (await addMatches(whole, reading, target, criteria)) return whole.json({ isComplete: true, places: 1 });
  const { range } = criteria;
  const starts = await sampleKeys(maxPlaces, {
    items: reading.items,
    space: target.space,
    range,
    turn: (read) => reading.pages.run(target.space, criteria, read),
  });
  if (starts.length < 2) return whole.json({ isComplete: false, places: 1 });
  const sample = new Profile();
  for (const [n, start] of starts.entries()) {
    sample.share(starts.length - n);
    const next = starts[n + 1];
    const part = next === undefined ? { ...range, gte: start } : within(range, { gte: start, lt: next });
    await addMatches(sample, reading, target, { ...criteria, range: part });
  }
  return sample.json({ isComplete: false, places: starts.length });
}

/** Gives whether there was room for all of them. */
async function addMatches(
  profile: Profile,
  reading: MatchReading,
  target: QueryTarget,
  criteria: Criteria,
): Promise<boolean> {
  const room = untilAbandoned(() => target.client.isAbandoned);
  for await (const rows of allMatches(reading, target, criteria)) {
    if (!(await runInSlices(profile.add(rows), room))) return false;
  }
  return true;
}
