import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { Call } from '../../../src/http/requests/call.js';
import { createRouter } from '../../../src/http/routing/router.js';
import { blockBytes, giveBack } from '../../../src/lib/block-pool.js';
import { createGate } from '../../support/gate.js';
import { listening } from '../../support/listening.js';

// The bodies of large uploads, which are read past Node's parser on connections that began on the fast path.

const mib = 1024 * 1024;
const path = '/v1/{project}/{drive}/files';
const tooLarge = () => new Error('too large');
const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const use = { keptBytes: mib, isPrompt: false };

const headOf = (bytes: number) =>
  `POST /v1/demo/d/files HTTP/1.1\r\nHost: x\r\nX-API-Key: demo_s3cret\r\nContent-Length: ${bytes}\r\n\r\n`;

/** Calls `work` with a connection to a server whose uploads are read by `handle`, which gives what the answer says. */
async function uploading(
  handle: (call: Call) => Promise<string>,
  work: (socket: Socket, sockets: readonly Socket[]) => Promise<void>,
): Promise<void> {
  const operation = {
    method: 'POST',
    path,
    access: 'write',
    handle: async (call: Call) => ({ status: 201, headers: [], body: await handle(call) }),
  } as const;
  const server = await listening(createRouter([operation], undefined), 'the fast path');
  const socket = connect(server.port, '127.0.0.1');
  try {
    await work(socket, server.sockets);
  } finally {
    socket.destroy();
    server.close();
  }
}

/** Collects the bodies of answers until there are so many. */
async function answers(socket: Socket, count: number): Promise<string[]> {
  let text = '';
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    text += chunk;
    const found = [...text.matchAll(/\r\n\r\n<([^>]*)>/g)].map(([, body]) => body ?? '');
    if (found.length >= count) return found;
  }
  throw new Error(`the connection ended after ${text}`);
}

async function hashOfStream(call: Call, chunks: Buffer[] = []): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of call.stream(100 * mib, tooLarge, use)) {
    chunks.push(chunk);
    hash.update(chunk);
    await setImmediate();
    giveBack(chunk);
  }
  return `<${hash.digest('hex')}>`;
}

describe('a large body', () => {
  test('comes in whole blocks, whose memory is used again while others arrive', async () => {
    const chunks: Buffer[] = [];
    await uploading(
      (call) => hashOfStream(call, chunks),
      async (socket) => {
        const bodies = Array.from({ length: 4 }, () => randomBytes(5 * mib + 123));
        for (const body of bodies) {
          socket.write(headOf(body.length));
          socket.write(body);
        }
        assert.deepEqual(await answers(socket, 4), bodies.map(hashOf));
        assert.equal(Math.max(...chunks.map(({ length }) => length)), blockBytes);
        const memory = new Set(chunks.map(({ buffer }) => buffer));
        assert.ok(memory.size < chunks.length / 2, `${memory.size} for ${chunks.length} chunks`);
      },
    );
  });

  test('ends where it ends, however its bytes are divided, and the next request follows', async () => {
    await uploading(
      (call) => hashOfStream(call),
      async (socket) => {
        const bodies = [64 * 1024 + 1, 100_000, blockBytes, blockBytes + 64 * 1024, 700_001].map((size) =>
          randomBytes(size),
        );
        const all = Buffer.concat(bodies.flatMap((body) => [Buffer.from(headOf(body.length)), body]));
        const found = answers(socket, bodies.length);
        for (let at = 0, size = 1; at < all.length; at += size, size = (size * 7) % 50_021) {
          if (!socket.write(all.subarray(at, at + size))) await once(socket, 'drain');
        }
        assert.deepEqual(await found, bodies.map(hashOf));
      },
    );
  });

  test('waits in the system while its reader does not read', async () => {
    const gate = createGate();
    const read = async (call: Call) => {
      const chunks = call.stream(100 * mib, tooLarge, use);
      for await (const _ of chunks) await gate.passed;
      return '<read>';
    };
    await uploading(read, async (socket, sockets) => {
      const body = Buffer.alloc(40 * mib);
      socket.write(headOf(body.length));
      socket.write(body);
      let before = -1;
      for (let same = 0; same < 50; ) {
        await setImmediate();
        const bytesRead = sockets[0]?.bytesRead ?? 0;
        same = bytesRead === before && bytesRead > blockBytes ? same + 1 : 0;
        before = bytesRead;
      }
      assert.ok(before < 2 * mib, `${before} bytes were read`);
      gate.open();
      assert.deepEqual(await answers(socket, 1), ['read']);
    });
  });

  test('is discarded when its reader stops, and the next request is answered', async () => {
    let bodies = 0;
    const readFirst = async (call: Call) => {
      for await (const _ of call.stream(100 * mib, tooLarge, use)) break;
      return `<${++bodies}>`;
    };
    await uploading(readFirst, async (socket) => {
      const body = randomBytes(3 * mib);
      for (let n = 0; n < 2; n++) {
        socket.write(headOf(body.length));
        socket.write(body);
      }
      assert.deepEqual(await answers(socket, 2), ['1', '2']);
    });
  });

  test('that is cut off is no whole one', async () => {
    const ended = createGate();
    let failure: unknown;
    const read = async (call: Call) => {
      try {
        return await hashOfStream(call);
      } catch (cause) {
        failure = cause;
        ended.open();
        throw cause;
      }
    };
    await uploading(read, async (socket, sockets) => {
      socket.write(headOf(3 * mib));
      socket.write(randomBytes(mib));
      while ((sockets[0]?.bytesRead ?? 0) < mib) await setImmediate();
      socket.destroy();
      await ended.passed;
      assert.match(String(failure), /ended before its announced length/);
    });
  });
});
