import { setTimeout as wait } from 'node:timers/promises';
import { createRandom } from '../random.js';
import type { RunningServer } from '../server-process.js';
import { compareLists } from './compare-lists.js';
import { type Strike, serverStrike } from './faults.js';
import { type Fleet, startFleet } from './fleet.js';
import { checkAll, createCrews, subjectsOf, work } from './load.js';
import { createOutage } from './outage.js';
import { becomeReady } from './readiness.js';
import { Tally } from './tally.js';

/** What the servers stand on, and the ways in which it breaks. */
export interface Ground {
  startServer(n: number): Promise<RunningServer>;
  /** Beside the kill of a server, which every ground knows. */
  readonly strikes: readonly Strike[];
  /** Resolves when nothing that was sent before can still happen: no transaction of then runs. */
  rest(): Promise<void>;
}

export interface KillRun {
  readonly ground: Ground;
  readonly key: string;
  readonly servers: number;
  readonly kills: number;
  /** Asked before each kill: whether it is enough all the same. */
  readonly isEnough?: () => boolean;
  readonly seed: number;
  readonly progress?: (tally: Tally, part: string) => void;
}

const workers = 12;
const shortestLoadMs = 100;
const longestLoadMs = 900;
/** `/ready` looks again after a second and waits for two; a store that is asked thrice takes its time. */
const redWithinMs = 10_000;
const greenWithinMs = 30_000;
const loadBehindMs = 400;

/**
 * Loads several servers at once, breaks one part at a random moment, mends it, and compares everything that was
 * acknowledged, as often as asked.
 */
export async function runKills(run: KillRun): Promise<Tally> {
  const { ground, key, kills, seed } = run;
  const tally = new Tally();
  const outage = createOutage();
  const random = createRandom(seed);
  const crews = createCrews(seed, workers);
  const subjects = subjectsOf(crews);
  const fleet = await startFleet({
    size: run.servers,
    start: (n) => ground.startServer(n),
    key,
    connections: workers,
    tally,
    outage,
  });
  try {
    const strikes = [serverStrike(fleet, random), ...ground.strikes];
    let round: Strike[] = [];
    for (let kill = 0; kill < kills && !run.isEnough?.(); kill++) {
      // Each part as often as the others, in an order that nobody chose.
      if (round.length === 0) round = [...strikes];
      const [strike] = round.splice(random.int(round.length), 1);
      if (strike === undefined) break;
      tally.begin(strike.part);
      await oneKill(strike);
      tally.current.kills++;
      run.progress?.(tally, strike.part);
    }
  } finally {
    await fleet.stop();
  }
  return tally;

  async function oneKill(strike: Strike): Promise<void> {
    const stop = new AbortController();
    const load = Promise.all(crews.map((crew) => work(fleet.client(crew.random), crew, tally, stop.signal)));
    try {
      await wait(shortestLoadMs + random.int(longestLoadMs));
      if (strike.turnsRed) outage.begin();
      await strike.begin();
      if (strike.turnsRed) await expectReady(fleet, false, redWithinMs);
      await wait(strike.outageMs(random));
      await strike.end();
      await expectReady(fleet, true, greenWithinMs);
      outage.end();
      const before = tally.current.acknowledged;
      await wait(loadBehindMs);
      if (tally.current.acknowledged === before) tally.find('wrong', 'writes', 'no write behind the kill');
    } finally {
      stop.abort();
      await load;
    }
    await ground.rest();
    const client = fleet.client(random);
    await checkAll(client, subjects, tally, workers);
    await compareLists(client, subjects, tally);
  }

  async function expectReady(servers: Fleet, expected: boolean, withinMs: number): Promise<void> {
    if (await becomeReady(servers.ports(), expected, withinMs)) return;
    const state = expected ? 'ready' : 'unready';
    tally.find('wrong', state, `a server did not become ${state} within ${withinMs} ms`);
  }
}
