import { runInSlices } from '../../lib/concurrency/time-slices.js';
import { whileWanted } from '../pages/while-wanted.js';
import { Profile } from '../profile/profile.js';
import type { Criteria } from './by-query-body.js';
import { type AskedBase, allMatches, type MatchReading } from './matches.js';

/**
 * Reads what matches, in the order of the keys, until there is enough for a profile, and gives its JSON
 * (docs/http.md#profile). Others are served in the meantime.
 */
export async function profileMatches(
  reading: MatchReading,
  asked: AskedBase,
  criteria: Criteria,
): Promise<string> {
  const profile = new Profile();
  const room = whileWanted(() => asked.client.isAbandoned);
  for await (const rows of allMatches(reading, asked, criteria)) {
    const areAllIn = await runInSlices(profile.add(rows), room);
    if (!areAllIn) return profile.json(false);
  }
  return profile.json(true);
}
