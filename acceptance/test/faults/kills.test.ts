import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { checkedClient } from '../../src/kills/checked-client.js';
import { embeddedDeployment } from '../../src/kills/deployments.js';
import { createOutage } from '../../src/kills/outage.js';
import { runKills } from '../../src/kills/run.js';
import { Tally } from '../../src/kills/tally.js';
import type { Client } from '../../src/model/client.js';
import type { RunningServer } from '../../src/server-process.js';
import { type ServerProcess, startServer } from '../../src/server-process.js';

const key = 'kills_0123456789';

/** The short version on the embedded engines; `npm run test:kills` runs on PostgreSQL and S3. */
test('everything that was acknowledged under kills of a server is stored once', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'basedrive-kills-'));
  const deployment = embeddedDeployment(join(folder, 'data'), key);
  const tally = await runKills({ deployment, key, servers: 1, kills: 3, seed: 3 });
  assert.deepEqual(tally.findings, []);
  assert.equal(tally.sum('kills'), 3);
  assert.ok(tally.sum('acknowledged') > 100, `only ${tally.sum('acknowledged')} were acknowledged`);
  assert.ok(tally.sum('inDoubt') > 0, 'no operation was in flight at a kill');
  await rm(folder, { recursive: true });
});

describe('the kill test finds the faults of a service', () => {
  let server: ServerProcess;
  beforeEach(async () => {
    server = await startServer(['--memory', '--log-level', 'error', '--key', key]);
  });
  afterEach(() => server.stop());

  /** A planted fault: answers in place of the service, or passes the request on, changed or more than once. */
  type PlantedFault = (
    incoming: IncomingMessage,
    body: Buffer,
    pass: (changed?: Partial<Request>) => Promise<Passed>,
  ) => Promise<Passed>;

  const faults: {
    readonly name: string;
    readonly column: 'lost' | 'doubled' | 'wrong';
    plant: PlantedFault;
  }[] = [
    {
      name: 'a put that is acknowledged but not stored',
      column: 'lost',
      plant: async (incoming, _body, pass) =>
        incoming.method === 'PUT' ? { status: 207, body: Buffer.from('{}') } : pass(),
    },
    {
      name: 'an increment that counts twice',
      column: 'doubled',
      plant: async (incoming, _body, pass) => {
        if (incoming.method === 'PATCH' && incoming.url?.includes('/counters/')) await pass();
        return pass();
      },
    },
    {
      name: 'a delete of files that is acknowledged but not done',
      column: 'lost',
      plant: async (incoming, _body, pass) =>
        incoming.method === 'DELETE' && incoming.url?.endsWith('/files')
          ? { status: 200, body: Buffer.from('{}') }
          : pass(),
    },
    {
      name: 'a wrong byte in a file',
      column: 'lost',
      plant: async (incoming, _body, pass) => {
        const reply = await pass();
        if (incoming.url?.includes('/files/download') && reply.body.length > 10) reply.body[9]! ^= 1;
        return reply;
      },
    },
    {
      name: 'a key that is listed twice',
      column: 'doubled',
      plant: async (incoming, _body, pass) => {
        const reply = await pass();
        if (!incoming.url?.endsWith('/query')) return reply;
        const page = JSON.parse(reply.body.toString()) as { items: unknown[] };
        return {
          ...reply,
          body: Buffer.from(JSON.stringify({ ...page, items: [...page.items, ...page.items.slice(0, 1)] })),
        };
      },
    },
    {
      name: 'a transaction whose operations are done one by one',
      column: 'lost',
      async plant(incoming, body, pass) {
        if (!incoming.url?.endsWith('/transactions')) return pass();
        const { operations } = JSON.parse(body.toString()) as { operations: object[] };
        const results: unknown[] = [];
        for (const operation of operations) {
          const reply = await pass({ body: Buffer.from(JSON.stringify({ operations: [operation] })) });
          if (reply.status !== 200) return reply;
          results.push(...(JSON.parse(reply.body.toString()) as { results: unknown[] }).results);
        }
        return { status: 200, body: Buffer.from(JSON.stringify({ results })) };
      },
    },
    {
      name: 'an import of which a line is acknowledged but not stored',
      column: 'lost',
      async plant(incoming, body, pass) {
        if (incoming.headers['content-type'] !== 'application/x-ndjson') return pass();
        const reply = await pass();
        const [first = ''] = body.toString().split('\n');
        const { key } = JSON.parse(first) as { key: string };
        await pass({ method: 'DELETE', path: `${incoming.url}/${key}`, body: Buffer.alloc(0) });
        return reply;
      },
    },
    {
      name: 'an update by query that is done twice',
      column: 'lost',
      async plant(incoming, _body, pass) {
        if (incoming.url?.endsWith('/query/update')) await pass();
        return pass();
      },
    },
    {
      name: 'a move that is acknowledged but not done',
      column: 'lost',
      plant: async (incoming, _body, pass) =>
        incoming.url?.endsWith('/files/move') ? { status: 200, body: Buffer.from('{"moved":1}') } : pass(),
    },
    {
      name: 'a put whose condition is ignored',
      column: 'wrong',
      async plant(incoming, _body, pass) {
        const { 'if-match': _match, 'if-none-match': _noneMatch, ...headers } = incoming.headers;
        return pass({ headers });
      },
    },
    {
      name: 'a failure that is not an outage',
      column: 'wrong',
      plant: async (incoming, _body, pass) =>
        incoming.method === 'POST' && incoming.url?.endsWith('/items')
          ? { status: 500, body: Buffer.from('{"errors":["Internal server error"]}') }
          : pass(),
    },
  ];

  const killOnce = (plant: PlantedFault) => {
    const startServer = () => startFaultyProxy(server.url, plant);
    const nothing = async () => {};
    const deployment = { startServer, faults: [], quiesce: nothing, check: async () => [], stop: nothing };
    return runKills({ deployment, key, servers: 2, kills: 1, seed: 5 });
  };

  test('a service without faults has no findings', async () => {
    const tally = await killOnce((_incoming, _body, pass) => pass());
    assert.deepEqual(tally.findings, []);
  });

  for (const { name, column, plant } of faults) {
    test(`${name} is found`, async () => {
      // On a slow machine, a kill may come before a request that the fault affects, so the test has five tries.
      for (let tries = 0; tries < 5; tries++) {
        const tally = await killOnce(plant);
        if (tally.sum(column) > 0) return;
      }
      assert.fail(`nothing ${column}`);
    });
  }
});

describe('the check of an answer', () => {
  const unavailable = (retryAfter: string | undefined) => ({
    status: 503,
    headers: { 'retry-after': retryAfter },
    body: Buffer.from('{"errors":["The storage does not answer"]}'),
  });
  const sends = (send: Client['send']): Client => ({ send, close() {} });
  const checked = (client: Client) => {
    const tally = new Tally();
    const outage = createOutage();
    return {
      tally,
      outage,
      client: checkedClient({ client, isKilled: () => false, tally, outage, timeoutMs: 50 }),
    };
  };

  test('a 503 is accepted only during an outage, and only with Retry-After', async () => {
    const { tally, outage, client } = checked(sends(async () => unavailable('1')));
    outage.begin();
    await assert.rejects(client.send('GET', 'a'));
    outage.end();
    assert.deepEqual(tally.findings, []);
    await assert.rejects(client.send('GET', 'b'));
    assert.equal(tally.sum('wrong'), 1);
    const other = checked(sends(async () => unavailable(undefined)));
    other.outage.begin();
    await assert.rejects(other.client.send('GET', 'a'));
    assert.equal(other.tally.sum('wrong'), 1);
  });

  test('an answer that does not arrive in time is late', async () => {
    const { tally, client } = checked(sends(() => new Promise(() => {})));
    await assert.rejects(client.send('GET', 'a'));
    assert.equal(tally.sum('late'), 1);
  });
});

interface Request {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

interface Passed {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** A proxy to a real service that plants a fault, in place of a server. */
async function startFaultyProxy(
  url: URL,
  plant: (
    incoming: IncomingMessage,
    body: Buffer,
    pass: (changed?: Partial<Request>) => Promise<Passed>,
  ) => Promise<Passed>,
): Promise<RunningServer> {
  async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = await bytesIn(incoming);
    const { method, url: path, headers } = incoming;
    const pass = (changed: Partial<Request> = {}) => passOn(url, { method, path, headers, body, ...changed });
    const reply = await plant(incoming, body, pass);
    outgoing
      .writeHead(reply.status, { ...reply.headers, 'Content-Length': reply.body.length })
      .end(reply.body);
  }
  const proxy = createServer((incoming, outgoing) => {
    // A stopped client may leave during a request, and the server may be killed while requests are in flight.
    answer(incoming, outgoing).catch(() => outgoing.destroy());
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const ended = once(proxy, 'close').then(() => {});
  return {
    port: (proxy.address() as AddressInfo).port,
    pid: process.pid,
    ended,
    async kill() {
      proxy.close();
      proxy.closeAllConnections();
      await ended;
    },
  };
}

async function passOn(url: URL, { method, path, headers, body }: Request): Promise<Passed> {
  const { hostname: host, port } = url;
  const sent = request({
    host,
    port,
    method,
    path,
    headers: { ...headers, 'content-length': body.length },
    agent: false,
  });
  sent.end(body);
  const [reply] = (await once(sent, 'response')) as [IncomingMessage];
  const { etag, 'content-type': type } = reply.headers;
  const kept = { ...(etag && { ETag: etag }), ...(type && { 'Content-Type': type }) };
  return { status: reply.statusCode ?? 0, headers: kept, body: await bytesIn(reply) };
}

async function bytesIn(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
