import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createApi } from '../../src/api.js';
import { freshBase } from '../../src/names.js';
import { openSocket } from '../../src/open-socket.js';
import { residentMiB } from '../../src/resident-memory.js';
import { dataFlags, startServer } from '../../src/server-process.js';
import { ownKey } from '../../src/target.js';
import { expectStatus } from '../support/expect.js';

/** `BASEDRIVE_IDLE_READERS=9900` for the whole: a server takes 10,000 connections. */
const count = Number(process.env.BASEDRIVE_IDLE_READERS ?? 400);
const atOnce = 100;

/** A stream of changes on a socket. */
function readerOn(socket: Socket) {
  let seen = '';
  let look = () => {};
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    seen += chunk;
    look();
  });
  return {
    socket,
    /** Resolves when this has come. */
    until: (text: string) =>
      new Promise<void>((resolve) => {
        look = () => seen.includes(text) && resolve();
        look();
      }),
    /** How often it has come. */
    times: (text: string) => seen.split(text).length - 1,
  };
}

const put = (key: string) => `"key":"${key}","type":"put"`;

test(`${count} readers wait, and each gets what changes once`, async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'basedrive-readers-'));
  const server = await startServer(dataFlags(folder, ownKey));
  context.after(async () => {
    await server.kill();
    await rm(folder, { recursive: true });
  });
  const target = { ...server, key: ownKey, project: 'demo', otherKey: '', close: async () => {} };
  const api = createApi(target);
  context.after(() => api.close());
  const base = freshBase(api);
  await base.put({ key: 'before' });
  const beforeMiB = residentMiB(server.pid);

  const readers: ReturnType<typeof readerOn>[] = [];
  context.after(() => {
    for (const { socket } of readers) socket.destroy();
  });
  for (let at = 0; at < count; at += atOnce) {
    const some = Array.from({ length: Math.min(atOnce, count - at) }, async (_, n) => {
      const socket = await openSocket(target);
      const accept = n % 2 === 0 ? 'application/x-ndjson' : 'text/event-stream';
      socket.write(
        `GET /v1/demo/changes HTTP/1.1\r\nHost: x\r\nX-API-Key: ${ownKey}\r\nAccept: ${accept}\r\n\r\n`,
      );
      const reader = readerOn(socket);
      readers.push(reader);
      await reader.until('live');
    });
    await Promise.all(some);
  }
  const idleMiB = residentMiB(server.pid);

  const beganMs = performance.now();
  const times: number[] = [];
  const all = readers.map(async (reader) => {
    await reader.until(put('news'));
    times.push(performance.now() - beganMs);
  });
  await base.put({ key: 'news' });
  await Promise.all(all);
  const toldMiB = residentMiB(server.pid);
  const next = readers.map((reader) => reader.until(put('next')));
  await base.put({ key: 'next' });
  await Promise.all(next);
  // What comes twice comes before what was put later.
  for (const reader of readers)
    assert.deepEqual([reader.times(put('news')), reader.times(put('next'))], [1, 1]);
  expectStatus(await base.get('news'), 200);
  const kib = ((idleMiB - beforeMiB) * 1024) / count;
  context.diagnostic(
    `${kib.toFixed(1)} KiB for each reader; half have a change after ${times[count >> 1]?.toFixed(0)} ms, the last` +
      ` after ${times.at(-1)?.toFixed(0)} ms, ${(toldMiB - idleMiB).toFixed(0)} MiB more then`,
  );
});
