import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import type { RunningServer } from './run-cli.js';
import { key, send } from './served-copy.js';

const writers = 3;
const names = 25;

/** Whole numbers below a limit: the same ones for the same seed. */
export type Below = (limit: number) => number;

export function createBelow(seed: number): Below {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % limit;
  };
}

/** The variables of a program whose clock is wrong by so many milliseconds. */
export function wrongClock(shiftMs: number): Record<string, string> {
  const module = new URL('./shifted-clock.js', import.meta.url).href;
  return { NODE_OPTIONS: `--import=${module}`, CLOCK_SHIFT_MS: String(shiftMs) };
}

/**
 * Writes to a server that may be killed and started again: items in pairs, by transactions, and files that come, go and
 * move.
 */
export async function startStandbyLoad(server: () => RunningServer, below: Below) {
  await send(server(), 'PUT', 'pairs/indexes/by-n', '{"fields":["n"]}');
  let isOver = false;
  let written = 0;

  async function write(): Promise<void> {
    const [one, other] = [below(names), below(names)];
    const file = `f${one}`;
    const n = ++written;
    const puts = [`a${one}`, `b${one}`].map((name) => ({ put: { key: name, n } }));
    const choice = below(6);
    const to = (path: string, method: string, body: string | Buffer) => send(server(), method, path, body);
    if (choice <= 1) await to('pairs/transactions', 'POST', JSON.stringify({ operations: puts }));
    else if (choice === 2) await to(`drive/files?name=${file}`, 'POST', Buffer.alloc(40_000, `${n} `));
    else if (choice === 3) await to(`drive/files?name=${file}`, 'POST', `${n}`);
    else if (choice === 4) await to('drive/files', 'DELETE', JSON.stringify({ names: [file] }));
    else {
      const files = [{ from: file, to: `f${other}` }];
      await to('drive/files/move', 'POST', JSON.stringify({ files, overwrite: true }));
    }
  }
  const work = Array.from({ length: writers }, async () => {
    // What fails was killed, or is a file that is not there.
    while (!isOver) await write().catch(() => wait(5));
  });

  return {
    /** Resolves when so many more writes were begun. */
    async some(count: number): Promise<void> {
      const before = written;
      while (written < before + count) await wait(5);
    },
    async stop(): Promise<void> {
      isOver = true;
      await Promise.all(work);
    },
  };
}

/** The transactions of which a part is missing, by the items of the base `pairs`: each puts a number into two of them. */
export function tornPairs(items: Iterable<readonly [key: string, value: string]>): string[] {
  const numbers = new Map(Array.from(items, ([of, value]) => [of, JSON.parse(value).n as number]));
  return [...numbers].flatMap(([of, n]) => {
    const other = numbers.get(`b${of.slice(1)}`);
    return of.startsWith('a') && other !== n ? [`${of} ${n} ${other}`] : [];
  });
}

/** Compares what two servers answer about everything that the load has written. */
export async function assertServeTheSame(promoted: RunningServer, source: RunningServer): Promise<void> {
  for (const path of ['pairs/items', 'base/items', 'drive/files?details=true', 'pairs/items/a1'])
    assert.equal(await textOf(promoted, path), await textOf(source, path));
  const { files } = JSON.parse(await textOf(source, 'drive/files?details=true')) as {
    files: { name: string }[];
  };
  assert.ok(files.length > 0);
  for (const { name } of files) {
    const path = `drive/files/download?name=${name}`;
    assert.equal(await textOf(promoted, path), await textOf(source, path), name);
  }
}

async function textOf(server: RunningServer, path: string): Promise<string> {
  return await (await fetch(`${server.url}/v1/demo/${path}`, { headers: { 'X-API-Key': key } })).text();
}
