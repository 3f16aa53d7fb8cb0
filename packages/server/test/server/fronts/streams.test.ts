import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { type Duplex, Readable, Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import type { FrontStream } from '../../../src/server/fronts/front-stream.js';
import { fronted } from '../../support/fronted.js';

const mib = 1024 * 1024;
/** What a front may have for a client that does not read, and what one write may hold besides. */
const mostInFront = 320 * 1024;
const data = randomBytes(6 * mib);

/** Sends these sizes, each in one write or in pieces of a text, and ends its side. */
async function send(to: Duplex, sizes: readonly number[], asText: boolean): Promise<void> {
  let at = 0;
  for (const size of sizes) {
    const bytes = data.subarray(at, at + size);
    at += size;
    const isTaken = asText ? to.write(bytes.toString('latin1'), 'latin1') : to.write(bytes);
    if (!isTaken) await Promise.race([once(to, 'drain'), once(to, 'close')]);
  }
  to.end();
}

/** Reads to the end, with pauses. */
async function readSlowly(from: Readable, pauses: boolean): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of from.iterator({ destroyOnReturn: false })) {
    chunks.push(chunk);
    if (pauses) await nextTurn();
  }
  return Buffer.concat(chunks);
}

/** Reads to the end, past the stream's buffer. */
async function readDirectly(stream: FrontStream, pauses: boolean): Promise<Buffer> {
  const chunks: Buffer[] = [];
  stream.readDirectly((chunk) => {
    chunks.push(Buffer.from(chunk));
    if (!pauses) return;
    stream.pause();
    setImmediate(() => stream.resume());
  });
  await once(stream, 'end');
  return Buffer.concat(chunks);
}

const sizes = fc.array(
  fc.oneof(
    fc.integer({ min: 0, max: 2000 }),
    fc.integer({ min: 10_000, max: 100_000 }),
    fc.integer({ min: 300_000, max: 600_000 }),
  ),
  { maxLength: 10 },
);
const exchange = fc.record({
  up: sizes,
  down: sizes,
  asText: fc.boolean(),
  pausesUp: fc.boolean(),
  pausesDown: fc.boolean(),
  direct: fc.boolean(),
  /** The client leaves instead, after so many bytes. */
  leavesAfter: fc.option(fc.integer({ min: 0, max: 50_000 }), { freq: 4 }),
});

async function exchangeAll(context: TestContext, isSecure: boolean): Promise<void> {
  const front = await fronted(isSecure);
  context.after(() => front.close());
  await fc.assert(
    fc.asyncProperty(fc.array(exchange, { minLength: 1, maxLength: 6 }), async (exchanges) => {
      await Promise.all(
        exchanges.map(async ({ up, down, asText, pausesUp, pausesDown, direct, leavesAfter }) => {
          const { client, stream, leave } = await front.open();
          const sum = (all: readonly number[]) => all.reduce((a, b) => a + b, 0);
          if (leavesAfter !== null) {
            const closed = closedAfterEnd(stream);
            client.write(data.subarray(0, leavesAfter), leave);
            await closed;
            return;
          }
          const arrivesUp = direct ? readDirectly(stream, pausesUp) : readSlowly(stream, pausesUp);
          const [, , atOwner, atClient] = await Promise.all([
            send(client, up, false),
            send(stream, down, asText),
            arrivesUp,
            readSlowly(client, pausesDown),
          ]);
          assert.ok(atOwner.equals(data.subarray(0, sum(up))), 'what the client sent');
          assert.ok(atClient.equals(data.subarray(0, sum(down))), 'what the owner sent');
          if (!stream.closed) await new Promise((resolve) => void stream.once('close', resolve));
        }),
      );
    }),
    { numRuns: isSecure ? 8 : 25 },
  );
}

test('whatever both sides of several connections send at once arrives whole, in order, and with its end', (context) =>
  exchangeAll(context, false));

test('so it does over TLS', (context) => exchangeAll(context, true));

test('a client that does not read stops its own answer, in bounded memory, and nobody else', async (context) => {
  const front = await fronted();
  context.after(() => front.close());
  const slow = await front.open();
  slow.client.pause();
  const large = Buffer.alloc(32 * mib, 7);
  let isDone = false;
  slow.stream.write(large, () => {
    isDone = true;
  });
  // What the system takes for the client is not known: the answer stands still when the front is full.
  const socket = [...front.inFront][0]!;
  let before = -1;
  while (slow.stream.bytesWritten !== before || socket.writableLength === 0) {
    before = slow.stream.bytesWritten;
    for (let n = 0; n < 50; n++) await nextTurn();
    assert.ok(socket.writableLength <= mostInFront, `${socket.writableLength} bytes in the front`);
  }
  assert.equal(isDone, false);
  const other = await front.open();
  await Promise.all([pipeline(Readable.from([data]), other.stream), assertReads(other.client, data)]);
  const received = buffer(slow.client);
  slow.stream.end();
  assert.ok((await received).equals(large));
  assert.equal(isDone, true);
});

test('a connection that the owner does not read stops its own client, in bounded memory, and nobody else', async (context) => {
  const front = await fronted();
  context.after(() => front.close());
  const slow = await front.open();
  slow.client.end(Buffer.alloc(32 * mib, 7));
  const other = await front.open();
  for (let n = 0; n < 5; n++) {
    const sent = new Promise((resolve) => other.client.write(data, resolve));
    let left = data.length;
    while (left > 0) {
      const bytes = other.stream.read() as Buffer | null;
      if (bytes === null) await once(other.stream, 'readable');
      else left -= bytes.length;
    }
    await sent;
    assert.ok(slow.stream.readableLength <= 160 * 1024, `${slow.stream.readableLength} bytes at the owner`);
  }
  assert.equal((await buffer(slow.stream)).length, 32 * mib);
});

test('what was written before a connection is closed still reaches its client', async (context) => {
  const front = await fronted();
  context.after(() => front.close());
  const { client, stream } = await front.open();
  const received = buffer(client);
  stream.write(data.subarray(0, 100_000));
  stream.destroySoon();
  assert.ok((await received).equals(data.subarray(0, 100_000)));
});

test('what a client sent before its end is there when both have ended and nobody has read it yet', async (context) => {
  const front = await fronted();
  context.after(() => front.close());
  const { client, stream } = await front.open();
  const [inFront] = front.inFront as Set<Socket>;
  assert.ok(inFront !== undefined);
  const closed = once(inFront, 'close');
  stream.end('answer');
  const received = buffer(client);
  client.end(data.subarray(0, 10_000));
  await closed;
  assert.equal((await received).toString(), 'answer');
  // What the front has told of the end arrives.
  const next = await front.open();
  assert.ok(!next.stream.destroyed);
  assert.ok((await buffer(stream)).equals(data.subarray(0, 10_000)));
});

test('the end of a write is told when the client has it all', async (context) => {
  const front = await fronted();
  context.after(() => front.close());
  const { client, stream } = await front.open();
  const received = buffer(client);
  const closed = closedAfterEnd(stream);
  stream.end(data);
  await once(stream, 'finish');
  assert.ok((await received).equals(data));
  client.end();
  await closed;
});

test('the time of a connection without traffic is told once, and begins again with its bytes', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const { FrontStream } = await import('../../../src/server/fronts/front-stream.js');
  const { FrontWindows } = await import('../../../src/server/fronts/flow-control.js');
  const { FrameWriter } = await import('../../../src/server/fronts/frame-writer.js');
  const sink = new Writable({ write: (_chunk, _encoding, done) => done() });
  const stream = new FrontStream({
    writer: new FrameWriter(sink as never),
    windows: new FrontWindows(),
    connection: 1,
    peer: { address: '127.0.0.1', port: 1 },
    encrypted: false,
  });
  let told = 0;
  stream.on('timeout', () => void told++);
  stream.setTimeout(100);
  context.mock.timers.tick(99);
  assert.equal(told, 0);
  context.mock.timers.tick(1);
  assert.equal(told, 1);
  stream.setTimeout(0);
  context.mock.timers.tick(1000);
  assert.equal(told, 1);
  stream.destroy();
});

/** Resolves when the connection is closed. A client that has left may look like one that has ended its side. */
function closedAfterEnd(stream: FrontStream): Promise<void> {
  return new Promise((resolve) => {
    stream.once('close', resolve);
    stream.once('end', () => stream.end());
    stream.resume();
  });
}

async function assertReads(client: Duplex, expected: Buffer): Promise<void> {
  assert.ok((await buffer(client)).equals(expected));
}
