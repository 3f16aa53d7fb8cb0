import { setTimeout as wait } from 'node:timers/promises';
import { type Change, type ChangesPage, Follower } from '../feed.js';
import { createRandom, type Random } from '../random.js';
import { type AnyServer, createAnyServer } from './any-server.js';
import { breakAndRepair } from './break-and-repair.js';
import type { Deployment } from './deployments.js';
import { type Fault, serverKill } from './faults.js';
import { type Fleet, startFleet } from './fleet.js';
import { FollowedCopy, type NamedPair } from './followed-copy.js';
import { base, drive, writeAll } from './followed-writes.js';
import { followLines, followPages } from './following.js';
import { createOutage, type Outage } from './outage.js';
import { Tally } from './tally.js';

export interface FollowerRun {
  readonly deployment: Deployment;
  readonly key: string;
  readonly servers: number;
  readonly kills: number;
  readonly seed: number;
  /** The components to kill besides a server; default: none. */
  readonly components?: readonly string[];
  /** A fault to be found: what becomes of a change on its way; undefined: it is lost. */
  readonly plant?: (change: Change) => Change | undefined;
}

export interface FollowerReport {
  readonly findings: readonly string[];
  readonly written: number;
  /** Transactions whose `tx` was answered. */
  readonly named: number;
  /** Changes that came, to both followers. */
  readonly followed: number;
}

const leastWritten = 150;

/**
 * Writes while servers are killed, or another component, `kills` times. One follower reads pages and one a stream of lines,
 * each from a random server, and cut off now and then. At the end both must have what is stored; on the way, no transaction
 * may be seen half once its `tx` is through, and each that was answered must come under the `tx` of its answer.
 */
export async function runFollowersUnderKills(run: FollowerRun): Promise<FollowerReport> {
  const { deployment, key, plant = (same) => same } = run;
  const tally = new Tally();
  const outage = createOutage();
  const random = createRandom(run.seed);
  const fleet = await startFleet({
    size: run.servers,
    start: (n) => deployment.startServer(n),
    key,
    connections: 1,
    tally,
    outage,
  });
  const server = createAnyServer({ fleet, key, tally }, random);
  const progress = { written: 0, isOver: false };
  const [quiet, over] = [new AbortController(), new AbortController()];
  const running: Promise<void>[] = [];
  const named: NamedPair[] = [];
  const take = (copy: FollowedCopy, change: Change) => {
    const found = plant(change);
    if (found !== undefined) copy.apply(found);
  };
  try {
    const copies = [new FollowedCopy(base), new FollowedCopy(base)] as const;
    // Of an empty store: whatever is written from now on comes with its `tx`.
    const { cursor } = JSON.parse((await server.send('GET', 'changes?since=0')) ?? '{}') as ChangesPage;
    const options = { server, int: random.int, quiet: quiet.signal, over: over.signal, take };
    const following = [followPages(options, copies[0], cursor), followLines(options, copies[1], cursor)];
    const writing = writeAll({ server, random, progress, named });
    const killing = killAll(run, { fleet, outage, tally, random, progress });
    running.push(...following, writing, killing);
    // What fails first ends the run.
    await Promise.race([killing, Promise.all(running)]);
    progress.isOver = true;
    await writing;
    await deployment.quiesce();
    quiet.abort();
    await Promise.all(following);
    const stored = await readStored(server);
    return {
      findings: [...tally.findings, ...copies.flatMap((copy) => copy.judge(stored, named))],
      written: progress.written,
      named: named.length,
      followed: copies[0].followed + copies[1].followed,
    };
  } finally {
    progress.isOver = true;
    over.abort();
    await Promise.allSettled(running);
    await fleet.stop();
  }
}

interface Killing {
  readonly fleet: Fleet;
  readonly outage: Outage;
  readonly tally: Tally;
  readonly random: Random;
  readonly progress: { readonly written: number; readonly isOver: boolean };
}

/** Kills, each time after some writes, and waits for enough of these, unless the run ends before. */
async function killAll(
  { deployment, servers, kills, components = [] }: FollowerRun,
  { fleet, outage, tally, random, progress }: Killing,
): Promise<void> {
  const others = deployment.faults.filter(({ component }) => components.includes(component));
  const faults = [serverKill(fleet, random), ...others];
  const waitForWrites = async (least: number) => {
    while (progress.written < least && !progress.isOver) await wait(5);
  };
  for (let kill = 0; kill < kills; kill++) {
    await waitForWrites(progress.written + 20 + random.int(80));
    if (progress.isOver) return;
    if (others.length > 0) {
      const fault = faults[kill % faults.length] as Fault;
      tally.begin(fault.component);
      await breakAndRepair(fault, { fleet, outage, tally }, random);
    } else {
      const n = random.int(servers);
      await fleet.kill(n);
      await fleet.restart(n);
    }
  }
  await waitForWrites(leastWritten);
}

/** Everything that is there. */
async function readStored(server: AnyServer) {
  const stored = new Follower();
  const items = (await server.send('GET', `${base}/items`)) ?? '';
  for (const line of items.split('\n').filter(Boolean)) {
    const item = JSON.parse(line) as { key: string };
    stored.apply({ base, key: item.key, type: 'put', item });
  }
  const listed = (await server.send('GET', `${drive}/files?details=true`)) ?? '{}';
  const { files } = JSON.parse(listed) as { files: { name: string; etag: string; size: number }[] };
  for (const file of files) stored.apply({ drive, name: file.name, type: 'put', file });
  return stored;
}
