import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Connections, startDraining } from '../../../src/server/fronts/drain.js';
import { FrontWindows } from '../../../src/server/fronts/flow-control.js';
import { FrameWriter } from '../../../src/server/fronts/frame-writer.js';
import { FrontStream } from '../../../src/server/fronts/front-stream.js';
import { fronted } from '../../support/fronted.js';

/** Streams of a front that takes everything and tells nothing. */
function silentFront(): { windows: FrontWindows; open(): FrontStream } {
  const sink = new Writable({ write: (_chunk, _encoding, done) => done() });
  const windows = new FrontWindows();
  const writer = new FrameWriter(sink as never);
  const peer = { address: '127.0.0.1', port: 1 };
  return { windows, open: () => new FrontStream({ writer, windows, connection: 1, peer, encrypted: false }) };
}

test('when a front has ended, its connections end with an error, also those told of last', async (context) => {
  const front = await fronted();
  context.after(() => front.close());
  const before = await front.open();
  const last = front.open();
  // The front has accepted it, and its frame is on the way.
  while (front.inFront.size < 2) await nextTurn();
  await nextTurn();
  front.kill();
  const { stream } = await last;
  for (const each of [before.stream, stream]) {
    if (!each.closed) await new Promise((resolve) => void each.once('close', resolve));
    assert.equal((each.errored as NodeJS.ErrnoException | null)?.code, 'ECONNRESET');
  }
});

test('what comes before anybody reads is taken directly, and before the end', async () => {
  for (const isEnded of [false, true]) {
    const stream = silentFront().open();
    stream.receive(Buffer.from('GET / '));
    stream.receive(Buffer.from('HTTP/1.1'));
    if (isEnded) stream.receiveEnd();
    const told: string[] = [];
    stream.on('end', () => void told.push('end'));
    stream.readDirectly((chunk) => void told.push(chunk.toString()));
    await nextTurn();
    if (!isEnded) stream.receive(Buffer.from('late'));
    await nextTurn();
    assert.deepEqual(told, ['GET / HTTP/1.1', isEnded ? 'end' : 'late']);
    stream.destroy();
  }
});

test('what comes before anybody reads stays in front of what is put back', async () => {
  const stream = silentFront().open();
  stream.receive(Buffer.from('12'));
  stream.receiveEnd();
  const leave = stream.readDirectly((chunk) => {
    const own = Buffer.from(chunk);
    leave();
    stream.pause();
    stream.unshift(own);
    stream.on('data', (bytes: Buffer) => void told.push(bytes.toString()));
    stream.resume();
  });
  const told: string[] = [];
  stream.on('end', () => void told.push('end'));
  await once(stream, 'end');
  assert.deepEqual(told, ['12', 'end']);
});

test('what a front still sends of a closed connection takes its room until the front has closed it', () => {
  const { windows, open } = silentFront();
  const whole = windows.window();
  const streams = Array.from({ length: 80 }, open);
  for (const stream of streams) stream.write(Buffer.alloc(256 * 1024));
  const full = windows.window();
  assert.ok(full < whole);
  for (const stream of streams) stream.destroy();
  assert.equal(windows.window(), full);
  for (const stream of streams) stream.gone(false);
  assert.equal(windows.window(), whole);
});

test('a connection that a front tells of when no other is left is closed, too', async () => {
  const connections: Connections = { open: new Set(), speaking: new Set() };
  const draining = startDraining(createServer(), connections, 60_000);
  await draining.drained;
  const stream = silentFront().open();
  connections.open.add(stream);
  await once(stream, 'close');
  draining.end();
});
