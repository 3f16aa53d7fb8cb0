import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type RunningServer, startServer, temporaryFolder } from '../../support/run-cli.js';

const key = 'demo_s3cret';
const run = promisify(execFile);

function start(context: TestContext, ...options: string[]): Promise<RunningServer> {
  return startServer(context, ['--memory', '--key', key, '--workers', '2', ...options]);
}

/** The processes that the server has started. */
async function frontsOf({ child }: RunningServer): Promise<number[]> {
  const ids = await readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8');
  return ids.split(' ').filter(Boolean).map(Number);
}

/** Whether a process runs: one that has ended may still be listed. */
async function runs(pid: number): Promise<boolean> {
  const state = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ') X');
  return !/\) [ZX]/.test(state);
}

async function putItem(url: string, name: string): Promise<boolean> {
  const answer = await fetch(`${url}/v1/demo/base/items`, {
    method: 'PUT',
    headers: { 'X-API-Key': key, 'Content-Type': 'application/json', Connection: 'close' },
    body: JSON.stringify({ items: [{ key: name }] }),
  });
  return answer.status === 207;
}

const onLinux = process.platform === 'linux' ? {} : { skip: 'needs /proc' };

test(
  'a front that is killed under load takes its connections alone, and is replaced',
  onLinux,
  async (context) => {
    const folder = await temporaryFolder(context);
    const server = await startServer(context, ['--data', folder, '--key', key, '--workers', '2']);
    const acknowledged: string[] = [];
    let failed = 0;
    let isOver = false;
    const load = Array.from({ length: 8 }, async (_, client) => {
      for (let n = 0; !isOver; n++) {
        const name = `${client}-${n}`;
        const isStored = await putItem(server.url, name).catch(() => false);
        if (isStored) acknowledged.push(name);
        else failed++;
      }
    });
    for (let kill = 0; kill < 3; kill++) {
      const enough = acknowledged.length + 100;
      while (acknowledged.length < enough) await wait(10);
      const before = await frontsOf(server);
      const killed = before[kill % before.length]!;
      process.kill(killed, 'SIGKILL');
      for (let now = before; now.length < 2 || now.includes(killed); now = await frontsOf(server))
        await wait(10);
    }
    isOver = true;
    await Promise.all(load);
    assert.ok(failed <= 3 * 8, `${failed} requests failed`);
    for (const name of acknowledged) {
      const answer = await fetch(`${server.url}/v1/demo/base/items/${name}`, {
        headers: { 'X-API-Key': key },
      });
      assert.equal(answer.status, 200, name);
    }
    assert.match(server.out(), /a front has ended with its connections/);
    assert.equal(await server.stop(), 0);
  },
);

test(
  'a front that the system does not start is started later, and the server lives on',
  onLinux,
  async (context) => {
    const server = await start(context);
    const limit = (files: string) => run('prlimit', ['--pid', String(server.child.pid), `--nofile=${files}`]);
    const before = await frontsOf(server);
    await limit('10:4096');
    for (const front of before) process.kill(front, 'SIGKILL');
    while (!/a front could not be started/.test(server.out())) await wait(10);
    await limit('4096:4096');
    while ((await frontsOf(server)).length < 2) await wait(10);
    assert.equal(await putItem(server.url, 'late'), true);
    assert.equal(await server.stop(), 0);
  },
);

test('the fronts of a server that is killed end', onLinux, async (context) => {
  const server = await start(context);
  const fronts = await frontsOf(server);
  assert.equal(fronts.length, 2);
  await server.stop('SIGKILL');
  for (const front of fronts) while (await runs(front)) await wait(10);
});

test(
  'a stop ends a request in progress, closes the others, and leaves no front',
  onLinux,
  async (context) => {
    const server = await start(context);
    const fronts = await frontsOf(server);
    const agent = new Agent({ keepAlive: true });
    context.after(() => agent.destroy());
    const idle = connect(server.port, '127.0.0.1');
    await once(idle, 'connect');
    const upload = request(`${server.url}/v1/demo/base/items`, {
      method: 'PUT',
      agent,
      headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
    });
    upload.write('{"items":[');
    // Its head has been read when its answer is asked for.
    await wait(200);
    const stopped = server.stop();
    await once(idle, 'close');
    upload.end('{"key":"late"}]}');
    const [answer] = await once(upload, 'response');
    assert.equal(answer.statusCode, 207);
    await text(answer);
    assert.equal(await stopped, 0);
    for (const front of fronts) assert.equal(await runs(front), false);
  },
);

test('a connection that came before another was known to have ended is answered, also if it has spoken', async (context) => {
  const server = await start(context, '--max-connections', '1');
  const ask = async () => {
    const socket = connect(server.port, '127.0.0.1').on('error', () => {});
    socket.write('GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n');
    const [answer] = await Promise.race([once(socket, 'data'), once(socket, 'close')]);
    return { socket, isAnswered: Buffer.isBuffer(answer) };
  };
  // One that waited for too long is closed: this machine may be busy.
  let answered = 0;
  for (let n = 0; answered < 5; n++) {
    assert.ok(n < 1000, 'none is answered');
    const first = await ask();
    const second = ask();
    await wait(10);
    first.socket.destroy();
    const { socket, isAnswered } = await second;
    if (first.isAnswered && isAnswered) answered++;
    if (socket.closed) continue;
    const closed = once(socket, 'close');
    socket.destroy();
    await closed;
  }
});

test('a thousand idle connections are kept, and answer', async (context) => {
  const server = await start(context);
  const sockets: Socket[] = [];
  context.after(() => {
    for (const socket of sockets) socket.destroy();
  });
  for (let n = 0; n < 1000; n++) {
    const socket = connect(server.port, '127.0.0.1');
    sockets.push(socket);
    await once(socket, 'connect');
  }
  const answers = sockets.map(async (socket) => {
    socket.write('GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    return (await text(socket)).slice(0, 12);
  });
  assert.deepEqual(new Set(await Promise.all(answers)), new Set(['HTTP/1.1 200']));
});

test('a wrong number of workers is named', async (context) => {
  await assert.rejects(
    start(context, '--workers', '9'),
    /--workers 9: must be auto, or a whole number from 0 to 8/,
  );
});
