import type { Settings } from '../../config/settings.js';
import type { ItemStore } from '../../engines/item-store.js';
import { type Finding, ok, warning } from '../../lib/finding.js';
import { standbyPosition } from '../../store/copy/copy-marker.js';
import { type KnownStandby, standbysOf } from '../control/standby-operation.js';

/** With more than this, a standby lacks what somebody would miss. */
const usualLagSeconds = 60;
/** One that is kept notes every few seconds how far it is. */
const keptSeconds = 30;
const advice = 'See "A standby" in docs/operations.md.';
const changedAdvice = 'Run copy --follow again: it compares everything.';

/** The standbys that the process in a data folder keeps, or that the folder is. */
export async function standbysInFolder({ dataFolder }: Settings): Promise<readonly Finding[]> {
  return ((await standbysOf(dataFolder)) ?? []).map(findingOf);
}

function findingOf({ from, to, phase, lagSeconds }: KnownStandby): Finding {
  const what = `${to}, of ${from}`;
  if (lagSeconds === undefined) return ok('standby', `${what}: everything is compared (${phase})`);
  const found = `${what}: ${lagSeconds.toFixed(1)} s behind${phase === 'waiting' ? ', and waits' : ''}`;
  return lagSeconds > usualLagSeconds ? warning('standby', found, advice) : ok('standby', found);
}

/** Whether open rows are a standby, and since when nobody keeps it. */
export async function standbyRows(items: ItemStore, nowMs: number): Promise<readonly Finding[]> {
  const position = await standbyPosition(items);
  if (position === undefined) return [];
  const seconds = (nowMs - position.asOfMs) / 1000;
  const found = `these rows are one, as of ${new Date(position.asOfMs).toISOString()}`;
  if (position.isChanged)
    return [warning('standby', `${found}, and a command has changed them, or rows were lost`, changedAdvice)];
  return [
    seconds < keptSeconds
      ? ok('standby', found)
      : warning('standby', `${found}: it is behind, or no copy --follow keeps it`, advice),
  ];
}
