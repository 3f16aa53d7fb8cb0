import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { runTransaction } from '../../../src/base/operations/run-transaction.js';
import { type BaseServices, createBaseService } from '../../../src/base/service.js';
import { openLevelStore } from '../../../src/engines/level/store.js';
import { createRouter, type Route } from '../../../src/http/routing/router.js';
import { listening, ways } from '../../support/listening.js';

const connections = 300;
/** Work takes as long as its looks at the clock say, however fast the machine is. */
const lookMs = 0.25;
/** Before there was a limit, all were answered in one or two turns. */
const mostInTurn = connections / 3;
const operations = Array.from({ length: 100 }, () => ({ check: { key: 'k', if: { 'n?ne': 0, 'n?lt': 2 } } }));
const body = JSON.stringify({ operations });
const request = [
  'POST /v1/demo/base/transactions HTTP/1.1',
  'Host: x',
  'X-API-Key: demo_key',
  'Content-Type: application/json',
  `Content-Length: ${body.length}`,
  '',
  body,
].join('\r\n');

/** Counts the requests that an operation answers in each turn of the event loop. */
function counting<Services>(operation: Route<Services>) {
  let inTurn = 0;
  const turns: number[] = [];
  const endTurn = () => {
    turns.push(inTurn);
    inTurn = 0;
  };
  const handle: typeof operation.handle = async (call, services) => {
    const answer = await operation.handle(call, services);
    if (inTurn++ === 0) setImmediate(endTurn);
    return answer;
  };
  return { turns, counted: { ...operation, handle } };
}

describe('many connections that each send a transaction at once', () => {
  for (const way of ways) {
    test(`are answered in many turns of the event loop, by ${way}`, async (context) => {
      let nowMs = performance.now() + 1_000_000;
      context.mock.method(performance, 'now', () => (nowMs += lookMs));
      const items = await openLevelStore({ memory: true });
      const service = createBaseService(items, Date.now);
      const json = Buffer.from('{"key":"k","n":1}');
      await service.put('demo', 'base', [
        { key: 'k', json, isKeyGenerated: false, expiresAtSeconds: undefined },
      ]);
      const { turns, counted } = counting<BaseServices>(runTransaction);
      const router = createRouter([counted], { bases: service, maxItemsPerPut: 25 });
      const server = await listening(router, way);
      const clients = Array.from({ length: connections }, () => connect(server.port, '127.0.0.1'));
      try {
        await Promise.all(clients.map((client) => once(client, 'connect')));
        while (server.sockets.length < connections) await new Promise(setImmediate);
        const answers = clients.map(async (client) => String((await once(client, 'data'))[0]));
        for (const client of clients) client.write(request);
        for (const answer of await Promise.all(answers)) assert.match(answer, /^HTTP\/1\.1 200 /);
        assert.ok(Math.max(...turns) <= mostInTurn, `in each turn: ${turns.join()}`);
      } finally {
        for (const client of clients) client.destroy();
        server.close();
        await service.stop();
        await items.close();
      }
    });
  }
});
