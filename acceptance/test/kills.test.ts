import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { checkedClient } from '../src/kills/checked-client.js';
import { embeddedDeployment } from '../src/kills/deployments.js';
import { createOutage } from '../src/kills/outage.js';
import { runKills } from '../src/kills/run.js';
import { Tally } from '../src/kills/tally.js';
import type { Client } from '../src/model/client.js';
import type { RunningServer } from '../src/server-process.js';
import { type ServerProcess, startServer } from '../src/server-process.js';

const key = 'kills_0123456789';

/** The short form over the embedded engines; `npm run test:kills` is the one over PostgreSQL and S3. */
test('what was acknowledged under kills of a server is there, and nothing is doubled', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'basedrive-kills-'));
  const deployment = embeddedDeployment(join(folder, 'data'), key);
  const tally = await runKills({ deployment, key, servers: 1, kills: 3, seed: 3 });
  assert.deepEqual(tally.findings, []);
  assert.equal(tally.sum('kills'), 3);
  assert.ok(tally.sum('acknowledged') > 100, `only ${tally.sum('acknowledged')} were acknowledged`);
  assert.ok(tally.sum('inDoubt') > 0, 'no kill met an operation under way');
  await rm(folder, { recursive: true });
});

describe('a service that does wrong is found out', () => {
  let server: ServerProcess;
  beforeEach(async () => {
    server = await startServer(['--memory', '--log-level', 'error', '--key', key]);
  });
  afterEach(() => server.stop());

  /** Answers in the service's place, or lets the request through, or twice. */
  type Plant = (asked: IncomingMessage, body: Buffer, pass: () => Promise<Passed>) => Promise<Passed>;

  const plants: { readonly name: string; readonly column: 'lost' | 'doubled' | 'wrong'; plant: Plant }[] = [
    {
      name: 'a put that is acknowledged and not done',
      column: 'lost',
      plant: async (asked, _body, pass) =>
        asked.method === 'PUT' ? { status: 207, body: Buffer.from('{}') } : pass(),
    },
    {
      name: 'an increment that is done twice',
      column: 'doubled',
      plant: async (asked, _body, pass) => {
        if (asked.method === 'PATCH' && asked.url?.includes('/counters/')) await pass();
        return pass();
      },
    },
    {
      name: 'a delete of files that is acknowledged and not done',
      column: 'lost',
      plant: async (asked, _body, pass) =>
        asked.method === 'DELETE' && asked.url?.endsWith('/files')
          ? { status: 200, body: Buffer.from('{}') }
          : pass(),
    },
    {
      name: 'a byte of a file that is another',
      column: 'lost',
      plant: async (asked, _body, pass) => {
        const reply = await pass();
        if (asked.url?.includes('/files/download') && reply.body.length > 10) reply.body[9] ^= 1;
        return reply;
      },
    },
    {
      name: 'a key that is listed twice',
      column: 'doubled',
      plant: async (asked, _body, pass) => {
        const reply = await pass();
        if (!asked.url?.endsWith('/query')) return reply;
        const page = JSON.parse(reply.body.toString()) as { items: unknown[] };
        return {
          ...reply,
          body: Buffer.from(JSON.stringify({ ...page, items: [...page.items, page.items[0]] })),
        };
      },
    },
    {
      name: 'a failure that is not the storage',
      column: 'wrong',
      plant: async (asked, _body, pass) =>
        asked.method === 'POST' && asked.url?.endsWith('/items')
          ? { status: 500, body: Buffer.from('{"errors":["Internal server error"]}') }
          : pass(),
    },
  ];

  const killOnce = (plant: Plant) => {
    const startServer = () => startPlanted(server.url, plant);
    const nothing = async () => {};
    const deployment = { startServer, faults: [], quiesce: nothing, stop: nothing };
    return runKills({ deployment, key, servers: 2, kills: 1, seed: 5 });
  };

  test('and one that does right is not', async () => {
    const tally = await killOnce((_asked, _body, pass) => pass());
    assert.deepEqual(tally.findings, []);
  });

  for (const { name, column, plant } of plants) {
    test(name, async () => {
      // A kill comes after some time, by which a slow machine may not have sent what the fault is about.
      for (let tries = 0; tries < 5; tries++) {
        const tally = await killOnce(plant);
        if (tally.sum(column) > 0) return;
      }
      assert.fail(`nothing ${column}`);
    });
  }
});

describe('an answer is held to the contract', () => {
  const unavailable = (retryAfter: string | undefined) => ({
    status: 503,
    headers: { 'retry-after': retryAfter },
    body: Buffer.from('{"errors":["The storage does not answer"]}'),
  });
  const sends = (send: Client['send']): Client => ({ send, close() {} });
  const judge = (client: Client) => {
    const tally = new Tally();
    const outage = createOutage();
    return {
      tally,
      outage,
      client: checkedClient({ client, isKilled: () => false, tally, outage, timeoutMs: 50 }),
    };
  };

  test('503 is excused while a part is away, and by Retry-After alone', async () => {
    const { tally, outage, client } = judge(sends(async () => unavailable('1')));
    outage.begin();
    await assert.rejects(client.send('GET', 'a'));
    outage.end();
    assert.deepEqual(tally.findings, []);
    await assert.rejects(client.send('GET', 'b'));
    assert.equal(tally.sum('wrong'), 1);
    const other = judge(sends(async () => unavailable(undefined)));
    other.outage.begin();
    await assert.rejects(other.client.send('GET', 'a'));
    assert.equal(other.tally.sum('wrong'), 1);
  });

  test('no answer within the bound is late', async () => {
    const { tally, client } = judge(sends(() => new Promise(() => {})));
    await assert.rejects(client.send('GET', 'a'));
    assert.equal(tally.sum('late'), 1);
  });
});

interface Passed {
  readonly status: number;
  readonly body: Buffer;
}

/** A way to a real service that does wrong on it, as if it were the server. */
async function startPlanted(
  url: URL,
  plant: (asked: IncomingMessage, body: Buffer, pass: () => Promise<Passed>) => Promise<Passed>,
): Promise<RunningServer> {
  async function answer(asked: IncomingMessage, answered: ServerResponse): Promise<void> {
    const body = await bytesIn(asked);
    const reply = await plant(asked, body, () => passOn(url, asked, body));
    answered.writeHead(reply.status, { 'Content-Length': reply.body.length }).end(reply.body);
  }
  const between = createServer((asked, answered) => {
    // A client that is stopped leaves in the middle of a request, and the server is ended with requests under way.
    answer(asked, answered).catch(() => answered.destroy());
  });
  between.listen(0, '127.0.0.1');
  await once(between, 'listening');
  const ended = once(between, 'close').then(() => {});
  return {
    port: (between.address() as AddressInfo).port,
    pid: process.pid,
    ended,
    async kill() {
      between.close();
      between.closeAllConnections();
      await ended;
    },
  };
}

async function passOn(url: URL, asked: IncomingMessage, body: Buffer): Promise<Passed> {
  const { hostname: host, port } = url;
  const { method, url: path, headers } = asked;
  const sent = request({ host, port, method, path, headers, agent: false });
  sent.end(body);
  const [reply] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: reply.statusCode ?? 0, body: await bytesIn(reply) };
}

async function bytesIn(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
