import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, Socket } from 'node:net';
import { test } from 'node:test';
import { connect as connectSecurely, createServer as createSecureServer } from 'node:tls';
import { ownBytes, readShared } from '../../../src/http/fast-path/shared-reading.js';
import { createSimpleReader } from '../../../src/http/fast-path/simple-request.js';
import { makeAuthority } from '../../../src/server/tls/issue.js';

type Protocol = 'tcp' | 'tls';

/** A server's and a client's ends of connections, with a queue of what the server's ends have read. */
async function connections(protocol: Protocol) {
  const authority = await makeAuthority(Date.now());
  const server: Server =
    protocol === 'tcp' ? createServer({ allowHalfOpen: true }) : createSecureServer(authority);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const opened: Socket[] = [];
  return {
    async open(): Promise<{ near: Socket; far: Socket }> {
      const arrived = once(server, protocol === 'tcp' ? 'connection' : 'secureConnection');
      const near =
        protocol === 'tcp'
          ? connect(port, '127.0.0.1')
          : connectSecurely({ port, host: '127.0.0.1', rejectUnauthorized: false });
      const [far] = (await arrived) as [Socket];
      opened.push(near, far);
      return { near, far };
    },
    close() {
      for (const socket of opened) socket.destroy();
      server.close();
    },
  };
}

/** Reads with `readShared`. `next` gives the next chunk as it was given. */
function reader(socket: Socket) {
  const chunks: Buffer[] = [];
  let wake = () => {};
  const end = readShared(socket, (chunk) => {
    chunks.push(chunk);
    wake();
  });
  assert.ok(end !== undefined, 'this version of Node works differently');
  const next = async (): Promise<Buffer> => {
    const chunk = chunks.shift();
    if (chunk !== undefined) return chunk;
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
    return await next();
  };
  return { next, end };
}

for (const protocol of ['tcp', 'tls'] as const) {
  test(`${protocol}: sockets read into one buffer, and what is kept is copied`, async (context) => {
    const { open, close } = await connections(protocol);
    context.after(close);
    const [a, b] = [await open(), await open()];
    const [readA, readB] = [reader(a.far), reader(b.far)];
    a.near.write('PUT /v1/p/b/items HTTP/1.1\r\nHost: h\r\nContent-Length: 7\r\n\r\nfrom a!');
    const chunk = await readA.next();
    const request = createSimpleReader()(chunk);
    const kept = ownBytes(chunk.subarray(0, 3));
    b.near.write('x'.repeat(chunk.length));
    const other = await readB.next();
    assert.equal(other.buffer, chunk.buffer);
    assert.equal(chunk.toString(), 'x'.repeat(chunk.length));
    assert.equal(kept.toString(), 'PUT');
    assert.ok(typeof request === 'object');
    assert.equal(request.body.toString(), 'from a!');
    assert.equal(a.far.bytesRead > 0, true);
  });

  test(`${protocol}: a socket whose shared reading has ended gives every byte to its stream, at its pace`, async (context) => {
    const { open, close } = await connections(protocol);
    context.after(close);
    const [a, b] = [await open(), await open()];
    const [readA, readB] = [reader(a.far), reader(b.far)];
    a.near.write('head');
    const head = ownBytes(await readA.next());
    a.far.pause();
    readA.end();
    const megabytes = Buffer.from(
      Array.from({ length: 4 * 1024 * 1024 }, (_, n) => (n * 7 + (n >> 8)) & 0xff),
    );
    a.near.end(megabytes);
    // Nothing is read in the meantime but what fits into the buffer of the stream, and it is not overwritten.
    b.near.write('x'.repeat(60_000));
    for (let bytes = 0; bytes < 60_000; ) bytes += (await readB.next()).length;
    assert.ok(a.far.readableLength <= 2 * a.far.readableHighWaterMark, String(a.far.readableLength));
    a.far.unshift(head);
    const parts: Buffer[] = [];
    a.far.on('data', (part: Buffer) => void parts.push(part));
    const ended = once(a.far, 'end');
    a.far.resume();
    await ended;
    assert.equal(Buffer.concat(parts).equals(Buffer.concat([head, megabytes])), true);
  });

  test(`${protocol}: a socket that reads into the shared buffer tells its end, and stops while it is paused`, async (context) => {
    const { open, close } = await connections(protocol);
    context.after(close);
    const { near, far } = await open();
    const { next } = reader(far);
    near.write('1');
    assert.equal((await next()).toString(), '1');
    far.pause();
    const ended = once(far, 'end');
    near.end('2');
    await new Promise((resolve) => setImmediate(resolve));
    far.resume();
    assert.equal((await next()).toString(), '2');
    await ended;
  });
}

test('a socket that is unlike those of this Node is left as it is', () => {
  const socket = new Socket();
  assert.equal(
    readShared(socket, () => assert.fail('read')),
    undefined,
  );
  assert.equal(socket.isPaused(), false);
  assert.equal(socket.readableFlowing, null);
});
