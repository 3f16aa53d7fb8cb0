import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { stream } from '../../../src/http/answers/stream.js';
import { type BudgetRules, BufferBudget } from '../../../src/http/memory/buffer-budget.js';

const kib = 1024;
const rules: BudgetRules = { maxBytes: 1024 * kib, smallBytes: 192 * kib, maxWaitMs: 15_000, maxWaiting: 2 };
const chunkBytes = 150 * kib;

/** Sends a stream that goes on to a client who reads when `read` is called. */
function streaming(budget: BufferBudget) {
  const waiting: (() => void)[] = [];
  const socket = Object.assign(new EventEmitter(), { destroyed: false }) as unknown as Socket;
  const response = {
    headersSent: false,
    write: (_: Buffer, done: () => void) => waiting.push(done) > 0,
    end() {},
    destroy() {},
  };
  async function* body(): AsyncGenerator<Buffer> {
    for (;;) yield Buffer.alloc(chunkBytes);
  }
  const sent = stream(
    { headers: [], body: body(), isEndless: true },
    {
      socket,
      response,
      budget,
      client: { project: 'demo', keyId: 'id', isAbandoned: false },
      sendHead() {
        response.headersSent = true;
      },
    },
  );
  return {
    sent,
    read: () => waiting.shift()?.(),
    leave() {
      Object.assign(socket, { destroyed: true });
      socket.emit('close');
    },
  };
}

test('what endless answers keep for clients that do not read is in the budget, and those beyond it are refused', async () => {
  const budget = new BufferBudget(rules);
  const streams = Array.from({ length: 12 }, () => streaming(budget));
  const refused = await Promise.all(streams.slice(8).map(({ sent }) => sent));
  for (const { failure, isUnsent } of refused) {
    assert.equal((failure as { status?: number }).status, 429);
    assert.equal(isUnsent, true);
  }
  assert.deepEqual(budget.state(), { heldBytes: 6 * chunkBytes, waitingRequests: 2 });
  // One that leaves makes room for the first that waits.
  streams[0]?.leave();
  await streams[0]?.sent;
  while (budget.state().waitingRequests > 1) await setImmediate();
  assert.deepEqual(budget.state(), { heldBytes: 6 * chunkBytes, waitingRequests: 1 });
  for (const { leave } of streams.slice(1)) leave();
  await Promise.all(streams.map(({ sent }) => sent));
  assert.deepEqual(budget.state(), { heldBytes: 0, waitingRequests: 0 });
});
