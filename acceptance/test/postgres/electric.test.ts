import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { type Row, Shape, ShapeStream } from '@electric-sql/client';
import { postgresDeployment, sharedFolder } from '../../src/kills/deployments.js';
import { createRandom } from '../../src/random.js';
import type { RunningServer } from '../../src/server-process.js';

// The client writes its notes by a timer of a minute, which would keep the process.
after(() => setImmediate(() => process.exit()));

const key = 'kills_0123456789';
const random = createRandom(4);

/** One address for servers that come and go: each request goes to one of them, as a balancer of requests sends it. */
async function openBalancer(context: TestContext, ports: () => readonly number[]): Promise<string> {
  const server = createServer((incoming, outgoing) => {
    const { method, url, headers } = incoming;
    const refuse = () => (outgoing.headersSent ? outgoing.destroy() : outgoing.writeHead(502).end());
    const port = random.pick(ports());
    if (port === undefined) {
      refuse();
      return;
    }
    const options = { host: '127.0.0.1', port, method, path: url, headers, agent: false };
    const passed = request(options, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
      answer.on('error', refuse);
    });
    passed.on('error', refuse);
    outgoing.on('close', () => passed.destroy());
    incoming.pipe(passed);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('a shape of Electric over two servers and PostgreSQL has what the base has, while both are killed', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'basedrive-electric-'));
  const blobs = join(folder, 'blobs');
  await mkdir(blobs);
  const deployment = await postgresDeployment(folder, key, sharedFolder(blobs));
  const running = new Map<number, RunningServer>();
  context.after(async () => {
    await Promise.all(Array.from(running.values(), (server) => server.kill()));
    await deployment.stop();
    await rm(folder, { recursive: true });
  });
  const start = async (n: number) => void running.set(n, await deployment.startServer(n));
  const kill = async (n: number) => {
    const server = running.get(n);
    running.delete(n);
    await server?.kill();
  };
  await Promise.all([start(0), start(1)]);
  const url = await openBalancer(context, () => Array.from(running.values(), ({ port }) => port));
  const root = `${url}/v1/kills`;
  const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' };
  /** Sends it until it is done. */
  const send = async (method: string, path: string, json?: object): Promise<string> => {
    for (;;) {
      const body = json && JSON.stringify(json);
      const answer = await fetch(root + path, { method, headers, ...(body && { body }) }).catch(
        () => undefined,
      );
      const text = await answer?.text().catch(() => undefined);
      if (answer?.ok && text !== undefined) return text;
      await wait(10);
    }
  };

  await send('PUT', '/tasks/items', { items: Array.from({ length: 20 }, (_, n) => ({ key: `old${n}`, n })) });
  const cutting = new AbortController();
  context.after(() => cutting.abort());
  const stream = new ShapeStream({
    url: `${root}/shape`,
    params: { table: 'tasks' },
    headers: { 'X-API-Key': key },
    signal: cutting.signal,
    backoffOptions: { initialDelay: 20, maxDelay: 200, multiplier: 2 },
  });
  let refetched = 0;
  stream.subscribe((messages) => {
    for (const { headers } of messages) if (headers.control === 'must-refetch') refetched++;
  });
  const shape = new Shape<Row>(stream);

  let isOver = false;
  let written = 0;
  const writing = Array.from({ length: 4 }, async (_, writer) => {
    for (let n = 0; !isOver; n++) {
      const name = `k${random.int(30)}`;
      if (random.int(4) === 0) await send('DELETE', `/tasks/items/${name}`);
      else
        await send('PUT', '/tasks/items', {
          items: [
            { key: name, writer, n },
            { key: `last${writer}`, n },
          ],
        });
      written++;
    }
  });
  const postgres = deployment.faults.find(({ component }) => component === 'PostgreSQL');
  assert.ok(postgres);
  for (const kills of ['server', 'PostgreSQL', 'server', 'PostgreSQL']) {
    const before = written;
    while (written < before + 40) await wait(5);
    if (kills === 'server') {
      const n = random.int(2);
      await kill(n);
      await start(n);
    } else {
      await postgres.begin();
      await postgres.end();
    }
  }
  isOver = true;
  await Promise.all(writing);
  await deployment.quiesce();

  const lines = (await send('GET', '/tasks/items')).split('\n').filter(Boolean);
  const stored = new Map(lines.map((line) => JSON.parse(line) as Row).map((row) => [row.key, row]));
  await new Promise<void>((resolve) => {
    const look = () => {
      if (isDeepStrictEqual(new Map(shape.currentRows.map((row) => [row.key, row])), stored)) resolve();
    };
    shape.subscribe(look);
    look();
  });
  assert.equal(refetched, 0);
  context.diagnostic(`${written} writes, ${stored.size} items`);
  cutting.abort();
});
