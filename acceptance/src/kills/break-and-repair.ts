import { setTimeout as wait } from 'node:timers/promises';
import type { Random } from '../random.js';
import type { Fault } from './faults.js';
import type { Fleet } from './fleet.js';
import type { Outage } from './outage.js';
import { becomeReady } from './readiness.js';
import type { Tally } from './tally.js';

/** What is under load while something breaks. */
export interface Loaded {
  readonly fleet: Fleet;
  readonly outage: Outage;
  readonly tally: Tally;
}

/** `/ready` checks the engines again after one second and waits two seconds for them; the rest is for retries. */
const unreadyTimeoutMs = 10_000;
const readyTimeoutMs = 30_000;

/** Breaks a component and repairs it. Every server must report the outage, and its end. */
export async function breakAndRepair(
  fault: Fault,
  { fleet, outage, tally }: Loaded,
  random: Random,
): Promise<void> {
  if (fault.failsReadiness) outage.begin();
  await fault.begin();
  if (fault.failsReadiness) await expectReady(false, unreadyTimeoutMs);
  await wait(fault.outageMs(random));
  await fault.end();
  await expectReady(true, readyTimeoutMs);
  outage.end();

  async function expectReady(expected: boolean, timeoutMs: number): Promise<void> {
    if (await becomeReady(fleet.ports(), expected, timeoutMs)) return;
    const state = expected ? 'ready' : 'unready';
    tally.find('wrong', state, `a server did not become ${state} within ${timeoutMs} ms`);
  }
}
