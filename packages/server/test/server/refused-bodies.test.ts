import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { startServer } from '../support/run-cli.js';

const mebibyte = 1024 * 1024;
const head = (more: string) => `PUT /v1/demo/base/items HTTP/1.1\r\nHost: x\r\n${more}\r\n\r\n`;
const piece = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(0x10000, 'x'), Buffer.from('\r\n')]);

interface Sending {
  readonly socket: Socket;
  readonly answer: () => string;
}

async function open(context: TestContext, bytes: string, workers: string): Promise<Sending> {
  const words = ['--memory', '--key', 'demo_s3cret', '--workers', workers];
  const server = await startServer(context, words);
  const socket = connect(server.port, '127.0.0.1');
  context.after(() => socket.destroy());
  let answer = '';
  socket.on('data', (chunk: Buffer) => {
    answer += chunk.toString('latin1');
  });
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(bytes);
  return { socket, answer: () => answer };
}

/** Sends until the connection ends, or so many bytes were sent. Gives how many were. */
async function send({ socket }: Sending, mostBytes: number): Promise<number> {
  let bytes = 0;
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  while (!socket.destroyed && bytes < mostBytes) {
    bytes += piece.length;
    if (!socket.write(piece)) await Promise.race([drained(socket), closed]);
  }
  return bytes;
}

const drained = (socket: Socket) => new Promise<void>((resolve) => socket.once('drain', () => resolve()));

for (const workers of ['0', '1'])
  for (const connection of ['keep-alive', 'close'])
    test(`the body of a refused request is not read on for good (${connection}, --workers ${workers})`, async (context) => {
      const more = `Connection: ${connection}\r\nTransfer-Encoding: chunked`;
      const sending = await open(context, head(more), workers);
      const most = 4096 * mebibyte;
      const bytes = await send(sending, most);
      assert.ok(bytes > 16 * mebibyte && bytes < most, `${bytes} bytes`);
      assert.match(sending.answer(), /^HTTP\/1\.1 401 /);
    });

test('a client that sends a whole body before it reads gets the answer, and goes on', async (context) => {
  const size = 16 * mebibyte;
  const sending = await open(context, head(`Content-Length: ${size}`), '0');
  const { socket } = sending;
  socket.pause();
  const sent = once(socket, 'drain');
  socket.write(Buffer.alloc(size));
  await sent;
  socket.resume();
  socket.write('GET /health HTTP/1.1\r\nHost: x\r\n\r\n');
  while (!sending.answer().includes('"status":"ok"')) await wait(10);
  assert.match(sending.answer(), /^HTTP\/1\.1 401 .*HTTP\/1\.1 200 /s);
});
