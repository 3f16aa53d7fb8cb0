import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  type MemoryHogs,
  openSilentReaders,
  openSilentWriters,
  openTinyChunks,
  openUnfinishedPuts,
} from '../../src/abuse/memory-hogs.js';
import { runNormalClient } from '../../src/abuse/normal-client.js';
import { createApi } from '../../src/api.js';
import { freshBase } from '../../src/names.js';
import { residentMiB } from '../../src/resident-memory.js';
import { dataFlags, startServer } from '../../src/server-process.js';
import { ownKey, type Target } from '../../src/target.js';

/** docs/http.md#memory: memory is bounded, however slowly clients send and read. */
const maxServerMiB = 1000;
const attackMs = 5000;
/** The client only has to be served all the time. */
const pauseMs = 100;

function watchMemory(pid: number) {
  const beganMs = performance.now();
  let peakMiB = 0;
  const timer = setInterval(() => {
    peakMiB = Math.max(peakMiB, residentMiB(pid));
  }, 50);
  return {
    elapsedMs: () => performance.now() - beganMs,
    peakMiB: () => peakMiB,
    stop: () => clearInterval(timer),
  };
}

/** What makes a server hold bytes: unread answers, unfinished bodies, bodies in tiny pieces. */
const hogs: Readonly<Record<string, (target: Target, path: string) => Promise<MemoryHogs>>> = {
  '984 pipelined gets of a 400 KB item, unread, on each of 8 connections': (target, path) =>
    openSilentReaders(target, { connections: 8, requests: 984, path }),
  '100 puts of 10 MB whose answers are unread': (target) => openSilentWriters(target, 100),
  '200 puts of 16 MiB without their last byte': (target) => openUnfinishedPuts(target, 200),
  '60 puts in 100,000 chunks of one byte': (target) => openTinyChunks(target, 60, 100_000),
};

for (const [name, open] of Object.entries(hogs)) {
  test(`${name}: memory stays below 1 GB, twice, and a normal client is served`, async (context) => {
    const folder = await mkdtemp(join(tmpdir(), 'basedrive-abuse-'));
    const server = await startServer(dataFlags(folder, ownKey));
    const target = { ...server, key: ownKey, project: 'demo', otherKey: '', close: async () => {} };
    const api = createApi(target);
    const base = freshBase(api);
    const watch = watchMemory(server.pid);
    try {
      assert.equal((await base.put({ key: 'k', text: 'x'.repeat(400_000) })).status, 207);
      // The second attack finds what the first has left.
      for (let attack = 0; attack < 2; attack++) {
        const opened = await open(target, `${base.root}/items/k`);
        const openedMs = watch.elapsedMs();
        const beside = await runNormalClient(api, () => watch.elapsedMs() < openedMs + attackMs, pauseMs);
        opened.stop();
        context.diagnostic(`${beside.requests} requests; ${watch.peakMiB()} MiB at most`);
        assert.ok(watch.peakMiB() < maxServerMiB, `the server had ${Math.round(watch.peakMiB())} MiB`);
        assert.ok(beside.requests > 0, `only ${beside.requests} requests of a normal client`);
      }
    } finally {
      watch.stop();
      api.close();
      assert.equal(await server.stop(), 0);
      await rm(folder, { recursive: true });
    }
  });
}
