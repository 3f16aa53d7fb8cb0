import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { createApi } from '../../src/api.js';
import { openSocket } from '../../src/open-socket.js';
import { launchTarget, type Target } from '../../src/target.js';
import { protocols } from '../support/service.js';

const places = 80;
/** Without an end of the attack, a test would wait forever. */
const timeout = 120_000;
const longTimes = ['--header-timeout', '1h', '--request-timeout', '1h', '--shutdown-grace', '1s'];
/** More than the buffers of a connection take. */
const bigBytes = 10 * 1024 * 1024;

interface Attack {
  /** The request of a client that has this key. */
  readonly request: (key: string, ticket: string) => string;
  /** Whether the client reads its answer. */
  readonly isRead: boolean;
}

const head = (line: string, key: string, more = '') =>
  `${line} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n${more}\r\n`;
const attacks: Readonly<Record<string, Attack>> = {
  'streams of events': {
    request: (key) => head('GET /v1/demo/changes', key, 'Accept: text/event-stream\r\n'),
    isRead: true,
  },
  'streams by tickets': {
    request: (_, ticket) => `GET ${ticket} HTTP/1.1\r\nHost: x\r\n\r\n`,
    isRead: true,
  },
  'requests that wait for changes': {
    request: (key) => head('GET /v1/demo/changes?wait=60', key),
    isRead: true,
  },
  'bodies that do not come': {
    request: (key) =>
      head('PUT /v1/demo/b/items', key, 'Content-Type: application/json\r\nContent-Length: 100\r\n'),
    isRead: true,
  },
  'slow downloads': {
    request: (key) => head('GET /v1/demo/d/files/download?name=big', key),
    isRead: false,
  },
};

/** Clients that each send one request, and send it again when they are refused or cut off. Gives what they were refused with. */
function attack(context: TestContext, target: Target, { isRead }: Attack, requests: readonly string[]) {
  const refusals: string[] = [];
  const sockets = new Set<Socket>();
  let isOver = false;
  context.after(() => {
    isOver = true;
    for (const socket of sockets) socket.destroy();
  });

  async function send(request: string): Promise<void> {
    while (!isOver) {
      const socket = await openSocket(target).catch(() => undefined);
      if (socket !== undefined) {
        sockets.add(socket);
        socket.on('error', () => {});
        socket.write(request);
        await new Promise<void>((resolve) => {
          socket.once('close', () => resolve());
          socket.once('data', (bytes: Buffer) => {
            const answer = bytes.toString('latin1');
            if (answer.startsWith('HTTP/1.1 429')) {
              refusals.push(answer);
              setTimeout(() => socket.destroy(), 500);
            } else if (!isRead) socket.pause();
            else socket.resume();
          });
        });
        sockets.delete(socket);
      }
      await wait(100);
    }
  }

  for (const request of requests) void send(request);
  return refusals;
}

for (const [protocol, workers] of [
  ['http', '0'],
  ['https', '2'],
] as const)
  for (const [what, attacking] of Object.entries(attacks))
    test(`${what} of one project do not keep another out (${protocol}, --workers ${workers})`, {
      timeout,
    }, async (context) => {
      const limits = [...longTimes, '--max-connections', String(places), '--workers', workers];
      const target = await launchTarget(...limits, ...protocols[protocol]);
      context.after(target.close);
      const api = createApi(target);
      context.after(() => api.close());
      const made = await api.send('POST', '/v1/demo/keys', { json: { access: 'write' } });
      const { key: limited } = JSON.parse(made.text) as { key: string };
      const ticket = await api.send('POST', '/v1/demo/changes/tickets', { json: {} });
      const { pathname } = new URL((JSON.parse(ticket.text) as { url: string }).url);
      if (!attacking.isRead)
        await api.send('POST', '/v1/demo/d/files?name=big', { body: Buffer.alloc(bigBytes) });

      // Keys of the same project count together.
      const requests = Array.from({ length: places }, (_, n) =>
        attacking.request(n % 2 === 0 ? target.key : limited, pathname),
      );
      const refusals = attack(context, target, attacking, requests);
      while (refusals.length < 3) await wait(100);
      let refused = 0;
      for (let n = 0; n < 20; n++) {
        while (!(await isServed(target))) {
          refused++;
          await wait(20);
        }
      }
      context.diagnostic(`${refused} attempts were refused, ${refusals.length} of the others`);
      const refusal = refusals.find((answer) => answer.includes('"code":"share_taken"')) ?? '';
      assert.match(refusal, /\r\nRetry-After: 1\r\n/i);
      // Clients that would send it again on the same connection give their places back.
      assert.match(refusal, /\r\nConnection: close\r\n/i);
      assert.match(refusal, /three times as many/);
    });

/** Whether a new client of the other project gets in and is answered. */
async function isServed(target: Target): Promise<boolean> {
  try {
    const socket = await openSocket(target);
    const more = 'Connection: close\r\n';
    socket.end(head('GET /v1/other/b/items/none', target.otherKey, more));
    let answer = '';
    for await (const bytes of socket) answer += bytes;
    return answer.startsWith('HTTP/1.1 404 ');
  } catch {
    return false;
  }
}
