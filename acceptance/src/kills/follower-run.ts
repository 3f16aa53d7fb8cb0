import { setTimeout as wait } from 'node:timers/promises';
import { type Change, type ChangesPage, Follower } from '../feed.js';
import { createRandom } from '../random.js';
import { breakAndRepair } from './break-and-repair.js';
import type { Deployment } from './deployments.js';
import { type Fault, serverKill } from './faults.js';
import { startFleet } from './fleet.js';
import { FollowedCopy, type NamedPair, pairKeys } from './followed-copy.js';
import { createOutage } from './outage.js';
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

const writers = 6;
const pairWriters = 3;
const leastWritten = 150;
const [base, drive] = ['base', 'drive'];

/**
 * Writes while servers are killed, or another component, `kills` times. One follower reads pages and one a stream of lines,
 * each from a random server, and cut off now and then. At the end both must have what is stored; on the way, no transaction
 * may be seen half once its `tx` is through, and each that was answered must come under the `tx` of its answer.
 */
export async function runFollowersUnderKills(run: FollowerRun): Promise<FollowerReport> {
  const { deployment, key, servers, kills, seed, components = [], plant = (same) => same } = run;
  const tally = new Tally();
  const outage = createOutage();
  const random = createRandom(seed);
  const { int, pick } = random;
  const fleet = await startFleet({
    size: servers,
    start: (n) => deployment.startServer(n),
    key,
    connections: 1,
    tally,
    outage,
  });
  const [project] = key.split('_');
  const named: NamedPair[] = [];
  let written = 0;
  let isOver = false;
  let isQuiet = false;
  /** Cuts the stream off. */
  let cutting = new AbortController();

  /** The answer of a random server; undefined if there is none. */
  async function ask(method: string, path: string, more: RequestInit = {}): Promise<Response | undefined> {
    const ports = fleet.ports();
    if (ports.length > 0) {
      const url = `http://127.0.0.1:${pick(ports)}/v1/${project}/${path}`;
      const headers = { 'X-API-Key': key, 'Content-Type': 'application/json', ...more.headers };
      const answer = await fetch(url, { ...more, method, headers }).catch(() => undefined);
      if (answer?.ok) return answer;
      // A file that is to be copied may not be there, or its other name may be taken.
      const isExpected =
        answer === undefined || [404, 409, 429].includes(answer.status) || answer.status >= 500;
      if (!isExpected)
        tally.find('wrong', path, `${method} ${path}: ${answer.status} ${await answer.text()}`);
      await answer?.body?.cancel().catch(() => {});
    }
    await wait(5);
    return undefined;
  }

  /** The text of the answer; undefined if it did not come whole. */
  async function send(method: string, path: string, json?: object): Promise<string | undefined> {
    const answer = await ask(method, path, json && { body: JSON.stringify(json) });
    return await answer?.text().catch(() => undefined);
  }

  async function write(writer: number): Promise<void> {
    for (let n = 0; !isOver; n++) {
      const [one, other] = [`k${int(30)}`, `l${int(30)}`];
      const item = { key: one, writer, n };
      const operations = [{ put: { ...item, key: other } }, { delete: { key: one } }];
      const [method, path, json] = pick<[string, string, object?]>([
        ['DELETE', `${base}/items/${one}`],
        ['POST', `${base}/transactions`, { operations }],
        ['POST', `${drive}/files?name=${one}`, { writer, n }],
        ['DELETE', `${drive}/files`, { names: [one] }],
        ['POST', `${drive}/files/copy`, { files: [{ from: one, to: other }] }],
        ['PUT', `${base}/items`, { items: [item] }],
      ]);
      if ((await send(method, path, json)) !== undefined) written++;
    }
  }

  /** Puts pairs. One that may still be stored, since it was not answered, is not put again. */
  async function writePairs(writer: number): Promise<void> {
    for (let n = 1, id = `p${writer}`; !isOver; n++) {
      const operations = pairKeys(id).map((of) => ({ put: { key: of, n } }));
      const body = JSON.stringify({ operations });
      const answer = await ask('POST', `${base}/transactions`, { body, headers: { Prefer: 'tx' } });
      if (answer === undefined) id = `p${writer}-${n}`;
      else {
        await answer.text().catch(() => {});
        const tx = answer.headers.get('preference-applied')?.slice('tx='.length) ?? '';
        named.push({ tx, id, n });
        written++;
      }
    }
  }

  function take(copy: FollowedCopy, change: Change): void {
    const found = plant(change);
    if (found !== undefined) copy.apply(found);
  }

  async function followPages(copy: FollowedCopy, begin: string): Promise<void> {
    for (let since = begin; ; ) {
      const wasQuiet = isQuiet;
      const text = await send('GET', `changes?since=${since}&limit=${1 + int(60)}&wait=${wasQuiet ? 0 : 1}`);
      if (text === undefined) continue;
      const { changes, cursor, live } = JSON.parse(text) as ChangesPage;
      for (const change of changes) take(copy, change);
      copy.reach(live);
      since = cursor;
      if (wasQuiet && live) return;
    }
  }

  async function followLines(copy: FollowedCopy, begin: string): Promise<void> {
    for (let since = begin; ; ) {
      const wasQuiet = isQuiet;
      cutting = new AbortController();
      const { signal } = cutting;
      const lines = await ask('GET', `changes?since=${since}`, {
        signal,
        headers: { Accept: 'application/x-ndjson' },
      });
      let left = 1 + int(400);
      for await (const text of linesOf(lines)) {
        const line = JSON.parse(text) as Change & { cursor?: string; live?: true };
        if (line.cursor === undefined) take(copy, line);
        else {
          since = line.cursor;
          copy.reach(line.live === true);
          if (wasQuiet && line.live) return cutting.abort();
        }
        if (!wasQuiet && --left === 0) break;
      }
      cutting.abort();
      copy.cut();
    }
  }

  async function killAll(): Promise<void> {
    const others = deployment.faults.filter(({ component }) => components.includes(component));
    const faults = [serverKill(fleet, random), ...others];
    for (let kill = 0; kill < kills; kill++) {
      const before = written;
      for (const least = 20 + int(80); written < before + least; ) await wait(5);
      if (others.length > 0) {
        const fault = faults[kill % faults.length] as Fault;
        tally.begin(fault.component);
        await breakAndRepair(fault, { fleet, outage, tally }, random);
      } else {
        const n = int(servers);
        await fleet.kill(n);
        await fleet.restart(n);
      }
    }
    while (written < leastWritten) await wait(5);
  }

  try {
    const copies = [new FollowedCopy(base), new FollowedCopy(base)] as const;
    // Of an empty store: whatever is written from now on comes with its `tx`.
    const { cursor } = JSON.parse((await send('GET', 'changes?since=0')) ?? '{}') as ChangesPage;
    const following = [followPages(copies[0], cursor), followLines(copies[1], cursor)];
    const writing = [
      ...Array.from({ length: writers }, (_, writer) => write(writer)),
      ...Array.from({ length: pairWriters }, (_, writer) => writePairs(writer)),
    ];
    await killAll();
    isOver = true;
    await Promise.all(writing);
    await deployment.quiesce();
    isQuiet = true;
    cutting.abort();
    await Promise.all(following);
    const stored = await readStored(send);
    return {
      findings: [...tally.findings, ...copies.flatMap((copy) => copy.judge(stored, named))],
      written,
      named: named.length,
      followed: copies[0].followed + copies[1].followed,
    };
  } finally {
    isOver = true;
    isQuiet = true;
    await fleet.stop();
  }
}

/** The lines of an answer, until it is cut off. */
async function* linesOf(answer: Response | undefined): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for await (const chunk of answer?.body ?? []) {
      const lines = (rest + decoder.decode(chunk as Uint8Array, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
    }
  } catch {
    // It was cut off.
  }
}

/** Everything that is there. */
async function readStored(send: (method: string, path: string) => Promise<string | undefined>) {
  const stored = new Follower();
  const items = (await send('GET', `${base}/items`)) ?? '';
  for (const line of items.split('\n').filter(Boolean)) {
    const item = JSON.parse(line) as { key: string };
    stored.apply({ base, key: item.key, type: 'put', item });
  }
  const listed = (await send('GET', `${drive}/files?details=true`)) ?? '{}';
  const { files } = JSON.parse(listed) as { files: { name: string; etag: string; size: number }[] };
  for (const file of files) stored.apply({ drive, name: file.name, type: 'put', file });
  return stored;
}
