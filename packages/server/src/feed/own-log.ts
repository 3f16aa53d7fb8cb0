import type { ChangeLog } from '../engines/change-log.js';
import type { ItemStore } from '../engines/item-store.js';
import { randomId } from '../lib/random-id.js';
import { changesSpace } from '../spaces.js';
import { generationKey, type LogState, type Run } from './log-state.js';
import type { Position } from './position.js';
import { keptKey, nextKey } from './retention.js';

/** The runs that are remembered. Positions of those before them are refused. */
const maxRuns = 200;
const nameCharacters = 8;
const separator = '.';

/** A state in which a run begins. */
export function withRun(state: LogState): LogState {
  const run = { name: randomId().slice(0, nameCharacters), generation: state.generation };
  return { ...state, runs: [...(state.runs ?? []), run].slice(-maxRuns) };
}

/**
 * The log of a server that has its rows alone. The epoch of its positions names the run, too: a data folder may be restored
 * from a copy, and then gives keys again that readers were given before, for other changes.
 */
export function createOwnLog(items: ItemStore, log: ChangeLog, { epoch, runs = [] }: LogState) {
  const own = runs.at(-1)?.name;
  const ends = new Map<Run, Promise<string>>();

  /** The key after the last one of an earlier run that the rows show. */
  function endOf(run: Run): Promise<string> {
    const known = ends.get(run);
    if (known !== undefined) return known;
    const end = readEnd(items, log, run);
    ends.set(run, end);
    end.catch(() => ends.delete(run));
    return end;
  }

  return {
    ...log,
    epoch: `${epoch}${separator}${own}`,
    async hasGiven(position: Pick<Position, 'epoch' | 'next'>, isStored = false): Promise<boolean> {
      const [ofEpoch, name] = position.epoch.split(separator);
      if (ofEpoch !== epoch || position.next > (await log.complete())) return false;
      // Earlier versions named no run.
      if (name === own || name === undefined || isStored) return true;
      const run = runs.find((one) => one.name === name);
      return run !== undefined && position.next <= (await endOf(run));
    },
  };
}

async function readEnd(items: ItemStore, log: ChangeLog, { generation }: Run): Promise<string> {
  const later = generationKey(generation + 1);
  let end = generationKey(generation).padEnd((await log.complete()).length, '0');
  const reach = (key: string) => {
    if (key > end && key < later) end = key;
  };
  for await (const space of items.spaces(`${changesSpace}/`)) {
    reach((await items.get(space, keptKey))?.toString() ?? '');
    for await (const rows of items.scan(space, { lt: later, reverse: true, limit: 1 }))
      for (const { key } of rows) reach(nextKey(key));
  }
  return end;
}
