import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { Duplex } from 'node:stream';
import { describe, type TestContext, test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { largestPut, runMixedLoad, type Sender } from '../../src/abuse/mixed-load.js';
import { whyNoControlGroup } from '../../src/control-group.js';
import { openSocket } from '../../src/open-socket.js';
import { ownKey, type Target } from '../../src/target.js';
import { openRaw } from '../support/raw-connection.js';
import { protocols } from '../support/service.js';
import { inContainer } from '../support/small-container.js';

/** Together they have 384 MiB. */
const largePuts = 24;
/** Each client sends at least one request. */
const loadMs = 10_000;
const items = 100_000;
const linesAtOnce = 20_000;
/** Connections that nobody has shown a key for. */
const strangers = 4000;
const skip = whyNoControlGroup() ?? false;

/** Everything that was sent was done or refused for want of room. */
function checkTally(context: TestContext, { tally }: Sender): void {
  for (const [kind, counts] of tally) {
    context.diagnostic(`${kind}: ${[...counts].map(([status, count]) => `${count} × ${status}`).join(', ')}`);
    const statuses = [...counts.keys()];
    const done = (status: number | 'cut off') => typeof status === 'number' && status < 300;
    // Large ones may all be refused by a machine that is busy with other things.
    if (['get', 'put', 'page'].includes(kind)) assert.ok(statuses.some(done), `nothing of ${kind} was done`);
    // A client that is too busy to send or read is disconnected when others need the memory.
    for (const status of statuses)
      assert.ok(done(status) || [404, 429, 'cut off'].includes(status), `${kind}: ${status}`);
  }
}

/** Without a key: opens a connection, sends a part of the head, nearly as long as one may be, and stops. */
async function stopInHead(target: Target): Promise<() => void> {
  const socket = await openSocket(target);
  socket.on('error', () => {}).resume();
  socket.write(`GET /ready HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(30_000)}`);
  return () => socket.destroy();
}

/** Begins a TLS handshake, and neither reads the answer nor goes on. */
async function stopInHandshake({ url }: Target): Promise<() => void> {
  const socket = connect(Number(url.port), url.hostname);
  socket.on('error', () => {}).resume();
  const below = new Duplex({ read() {}, write: (chunk, _, done) => void socket.write(chunk, () => done()) });
  const secure = connectTls({ socket: below, servername: 'localhost' });
  secure.on('error', () => {});
  await new Promise((resolve) => socket.once('data', resolve).once('close', resolve));
  return () => {
    secure.destroy();
    socket.destroy();
  };
}

async function importItems(sender: Sender): Promise<void> {
  for (let first = 0; first < items; first += linesAtOnce) {
    const lines = Array.from({ length: linesAtOnce }, (_, n) => {
      const at = first + n;
      return JSON.stringify({ key: `k${at}`, n: at, name: `name ${(at * 7919) % items}`, tags: ['a', 'b'] });
    });
    const call = { method: 'PUT', path: '/many/items', body: lines.join('\n'), type: 'application/x-ndjson' };
    assert.equal((await sender.send('import of the base', call)).status, 200);
  }
}

for (const [protocol, options] of Object.entries(protocols)) {
  describe(`a server in 256 MiB, over ${protocol},`, { skip }, () => {
    // What the first attack has left in memory counts in the second. TLS needs the most.
    const attacks = protocol === 'https' ? 2 : 1;
    test(`lives under 24 puts of 16 MiB at once (attacks: ${attacks})`, async (context) => {
      await inContainer(options, async (sender) => {
        const body = largestPut();
        for (let attack = 0; attack < attacks; attack++) {
          const put = () => sender.send('largest put', { method: 'PUT', path: '/large/items', body });
          await Promise.all(Array.from({ length: largePuts }, put));
        }
        checkTally(context, sender);
      });
    });

    for (const [count, what, path, accept] of [
      [400, 'exports', 'exported/items', '*/*'],
      [200, 'readers of the feed', 'changes?since=0', 'application/x-ndjson'],
    ] as const)
      test(`lives under ${count} ${what} of large items whose clients read only the first bytes`, async () => {
        await inContainer(options, async (sender, target) => {
          for (let n = 0; n < 60; n++) {
            const body = JSON.stringify({ items: [{ key: `k${n}`, text: 'x'.repeat(300_000) }] });
            const { status } = await sender.send('put', { method: 'PUT', path: '/exported/items', body });
            assert.equal(status, 207);
          }
          const clients = await Promise.all(
            Array.from({ length: count }, () => openRaw(target, { paused: true })),
          );
          const lines = [
            `GET /v1/demo/${path} HTTP/1.1`,
            'Host: x',
            `X-API-Key: ${ownKey}`,
            `Accept: ${accept}`,
          ];
          for (const client of clients) client.write(`${lines.join('\r\n')}\r\n\r\n`);
          await Promise.all(clients.map((client) => client.answerStarted()));
          for (const client of clients) client.destroy();
        });
      });

    const [where, stop] =
      protocol === 'http' ? ['the head of a request', stopInHead] : ['the handshake', stopInHandshake];
    test(`lives under ${strangers} connections without a key that stop in ${where}`, async () => {
      await inContainer(options, async (_sender, target) => {
        const stopped = [];
        for (let n = 0; n < strangers; n += 100) {
          const some = Array.from({ length: 100 }, () => stop(target).catch(() => () => {}));
          stopped.push(...(await Promise.all(some)));
        }
        for (const leave of stopped) leave();
      });
    });

    // The other tests show what TLS needs for a connection.
    if (protocol === 'https') return;
    test('lives under requests of all kinds over 64 connections, in a base of 100,000 items', async (context) => {
      await inContainer(options, async (sender) => {
        await importItems(sender);
        const endsMs = performance.now() + loadMs;
        await runMixedLoad(sender, { base: 'many', items, isOver: () => performance.now() > endsMs });
        checkTally(context, sender);
      });
    });
  });
}
