import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { type Change, type ChangesPage, Follower } from '../../src/feed.js';
import { createRandom } from '../../src/random.js';
import { dataFlags, type ServerProcess, startServer } from '../../src/server-process.js';

const key = 'kills_0123456789';
/** `BASEDRIVE_FOLLOWER_KILLS=200` for a long run. */
const kills = Number(process.env.BASEDRIVE_FOLLOWER_KILLS ?? 8);
const writers = 8;

interface Report {
  /** What the follower has and the base has not, or the other way round. */
  readonly differences: readonly string[];
  readonly written: number;
  readonly followed: number;
}

/** Kills a server under load again and again. `apply` is what the follower does with a change. */
async function follow(times: number, apply: (follower: Follower, change: Change) => void): Promise<Report> {
  const folder = await mkdtemp(join(tmpdir(), 'basedrive-follower-'));
  const start = () => startServer(dataFlags(join(folder, 'data'), key));
  let server: ServerProcess = await start();
  let isOver = false;
  let written = 0;
  let followed = 0;
  const { int } = createRandom(7);
  const send = async (method: string, path: string, body?: string): Promise<string | undefined> => {
    const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' };
    try {
      const answer = await fetch(`${server.url.origin}/v1/kills/${path}`, {
        method,
        headers,
        ...(body && { body }),
      });
      const text = await answer.text();
      return answer.ok ? text : undefined;
    } catch {
      // It was killed.
      await wait(5);
      return undefined;
    }
  };

  const write = async (writer: number) => {
    for (let n = 0; !isOver; n++) {
      const [one, other] = [`k${int(30)}`, `k${int(30)}`];
      const choice = int(5);
      const done =
        choice === 0
          ? await send('DELETE', `base/items/${one}`)
          : choice === 1 && one !== other
            ? await send(
                'POST',
                'base/transactions',
                JSON.stringify({
                  operations: [{ put: { key: one, writer, n } }, { delete: { key: other } }],
                }),
              )
            : choice === 2
              ? await send('POST', `drive/files?name=${one}`, `${writer} ${n}`)
              : choice === 3
                ? await send('DELETE', 'drive/files', JSON.stringify({ names: [one] }))
                : await send('PUT', 'base/items', JSON.stringify({ items: [{ key: one, writer, n }] }));
      if (done !== undefined) written++;
    }
  };

  const follower = new Follower();
  const read = async () => {
    let since = '0';
    for (;;) {
      const wasOver = isOver;
      const text = await send('GET', `changes?since=${since}&limit=${1 + int(50)}&wait=${wasOver ? 0 : 1}`);
      if (text === undefined) continue;
      const page = JSON.parse(text) as ChangesPage;
      for (const change of page.changes) apply(follower, change);
      followed += page.changes.length;
      since = page.cursor;
      if (wasOver && page.live) return;
    }
  };

  const work = Array.from({ length: writers }, (_, writer) => write(writer));
  const reading = read();
  for (let kill = 0; kill < times; kill++) {
    const before = written;
    while (written < before + 20 + int(80)) await wait(5);
    await server.kill();
    server = await start();
  }
  isOver = true;
  await Promise.all(work);
  await reading;

  const stored = new Follower();
  const items = (await send('GET', 'base/items')) ?? '';
  for (const line of items.split('\n').filter(Boolean)) {
    const item = JSON.parse(line) as { key: string };
    stored.apply({ base: 'base', key: item.key, type: 'put', item });
  }
  const listed = (await send('GET', 'drive/files?details=true')) ?? '';
  const { files } = JSON.parse(listed) as { files: { name: string; etag: string; size: number }[] };
  for (const file of files) stored.apply({ drive: 'drive', name: file.name, type: 'put', file });
  await server.stop();
  await rm(folder, { recursive: true });
  return {
    differences: [...different(follower.items, stored.items), ...different(follower.files, stored.files)],
    written,
    followed,
  };
}

function different(has: ReadonlyMap<string, unknown>, wanted: ReadonlyMap<string, unknown>): string[] {
  const text = (of: ReadonlyMap<string, unknown>, key: string) => JSON.stringify(of.get(key)) ?? 'nothing';
  return [...new Set([...has.keys(), ...wanted.keys()])]
    .filter((key) => text(has, key) !== text(wanted, key))
    .map((key) => `${key}: ${text(has, key)} in place of ${text(wanted, key)}`);
}

describe('a follower of the changes, while the server is killed', () => {
  test('has what is stored at the end', async (context) => {
    const report = await follow(kills, (follower, change) => follower.apply(change));
    context.diagnostic(`${kills} kills, ${report.written} writes, ${report.followed} changes`);
    assert.deepEqual(report.differences, []);
  });

  test('has something else if it misses one of ten changes', async () => {
    let changes = 0;
    // What is changed again later hides a change that was missed.
    for (let tries = 0; tries < 3; tries++) {
      const report = await follow(2, (follower, change) => {
        if (++changes % 10 !== 0) follower.apply(change);
      });
      if (report.differences.length > 0) return;
    }
    assert.fail('nobody noticed');
  });
});
