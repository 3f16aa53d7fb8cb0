import { setTimeout as wait } from 'node:timers/promises';
import type { HistoryReport } from '../history/actions.js';
import { runHistory } from '../history/run.js';
import { httpTransactor, type Transactor } from '../history/transactor.js';
import { createRandom } from '../random.js';
import { breakAndRepair } from './break-and-repair.js';
import type { Deployment } from './deployments.js';
import { type Fault, serverKill } from './faults.js';
import { startFleet } from './fleet.js';
import { createOutage } from './outage.js';
import { Tally } from './tally.js';

export interface HistoryKillRun {
  readonly deployment: Deployment;
  readonly key: string;
  readonly servers: number;
  readonly kills: number;
  readonly seed: number;
  /** The components to kill besides a server; default: none. */
  readonly components?: readonly string[];
  /** A fault to be found: changes how transactions reach the service. */
  readonly plant?: (transactor: Transactor) => Transactor;
}

const writers = 64;
const shortestLoadMs = 500;
const longestLoadMs = 1500;

/**
 * Checks the history of 64 writers of transactions while a server, or another component, is killed and started again,
 * `kills` times. Returns the report; its findings have also the wrong and late answers.
 */
export async function runHistoryUnderKills(run: HistoryKillRun): Promise<HistoryReport> {
  const { deployment, key, servers, kills, seed, components = [], plant = (same) => same } = run;
  const tally = new Tally();
  const outage = createOutage();
  const random = createRandom(seed);
  const fleet = await startFleet({
    size: servers,
    start: (n) => deployment.startServer(n),
    key,
    connections: writers,
    tally,
    outage,
  });
  const others = deployment.faults.filter(({ component }) => components.includes(component));
  const faults = [serverKill(fleet, random), ...others];
  let isOver = false;

  async function killAll(): Promise<void> {
    try {
      for (let kill = 0; kill < kills; kill++) {
        const fault = faults[kill % faults.length] as Fault;
        tally.begin(fault.component);
        await wait(shortestLoadMs + random.int(longestLoadMs));
        await breakAndRepair(fault, { fleet, outage, tally }, random);
      }
      await wait(shortestLoadMs);
    } finally {
      isOver = true;
    }
  }

  try {
    const [report] = await Promise.all([
      runHistory({
        transactors: [plant(httpTransactor(fleet.client(random), 'history'))],
        writers,
        isOver: () => isOver,
        quiesce: deployment.quiesce,
        seed,
      }),
      killAll(),
    ]);
    return { ...report, findings: [...report.findings, ...tally.findings] };
  } finally {
    await fleet.stop();
  }
}
