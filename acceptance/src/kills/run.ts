import { setTimeout as wait } from 'node:timers/promises';
import { createRandom } from '../random.js';
import { isOrphan } from '../server-process.js';
import { breakAndRepair } from './break-and-repair.js';
import { compareLists } from './compare-lists.js';
import type { Deployment } from './deployments.js';
import { type Fault, serverKill } from './faults.js';
import { startFleet } from './fleet.js';
import { createWorkloads, modelsOf, verifyAll, work } from './load.js';
import { createOutage } from './outage.js';
import { Tally } from './tally.js';

export interface KillRun {
  readonly deployment: Deployment;
  readonly key: string;
  readonly servers: number;
  readonly kills: number;
  /** Called before each kill: whether to end before `kills` is reached. */
  readonly isEnough?: () => boolean;
  readonly seed: number;
  readonly progress?: (tally: Tally, component: string) => void;
}

const workers = 12;
const shortestLoadMs = 100;
const longestLoadMs = 900;
const loadAfterRepairMs = 400;

/**
 * Loads several servers at once, breaks one component at a random moment, repairs it and compares everything that was
 * acknowledged, `kills` times. At the end, checks the store.
 */
export async function runKills(run: KillRun): Promise<Tally> {
  const { deployment, key, kills, seed } = run;
  const tally = new Tally();
  const outage = createOutage();
  const random = createRandom(seed);
  const workloads = createWorkloads(seed, workers);
  const models = modelsOf(workloads);
  const fleet = await startFleet({
    size: run.servers,
    start: (n) => deployment.startServer(n),
    key,
    connections: workers,
    tally,
    outage,
  });
  try {
    const faults = [serverKill(fleet, random), ...deployment.faults];
    let round: Fault[] = [];
    for (let kill = 0; kill < kills && !run.isEnough?.(); kill++) {
      // Each fault as often as the others, in random order.
      if (round.length === 0) round = [...faults];
      const [fault] = round.splice(random.int(round.length), 1);
      if (fault === undefined) break;
      tally.begin(fault.component);
      await oneKill(fault);
      tally.current.kills++;
      run.progress?.(tally, fault.component);
    }
  } finally {
    await fleet.stop();
  }
  for (const found of await deployment.check()) {
    if (isOrphan(found)) continue;
    tally.find('lost', found.key, `check: ${found.where} ${found.key}: ${found.problem}`);
  }
  return tally;

  async function oneKill(fault: Fault): Promise<void> {
    const stop = new AbortController();
    const load = Promise.all(
      workloads.map((each) => work(fleet.client(each.random), each, tally, stop.signal)),
    );
    try {
      await wait(shortestLoadMs + random.int(longestLoadMs));
      await breakAndRepair(fault, { fleet, outage, tally }, random);
      const before = tally.current.acknowledged;
      await wait(loadAfterRepairMs);
      if (tally.current.acknowledged === before)
        tally.find('wrong', 'writes', 'no write was acknowledged after the repair');
    } finally {
      stop.abort();
      await load;
    }
    await deployment.quiesce();
    const client = fleet.client(random);
    await verifyAll(client, models, tally, workers);
    await compareLists(client, models, tally);
  }
}
