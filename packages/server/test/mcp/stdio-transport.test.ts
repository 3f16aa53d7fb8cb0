import assert from 'node:assert/strict';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createStdioTransport } from '../../src/mcp/serve-stdio.js';

const call = '{"jsonrpc":"2.0","id":1,"method":"tools/call"}';
const answer = { jsonrpc: '2.0', id: 1, result: {} } as const;

/** A transport whose input has ended after these lines. `isEnded` says whether it waits for nothing more. */
async function endedBehind(context: TestContext, ...lines: readonly string[]) {
  // The time limit of a call that hangs.
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const input = new PassThrough();
  const transport = createStdioTransport(input, new PassThrough());
  let isEnded = false;
  void transport.ended.then(() => {
    isEnded = true;
  });
  await transport.start();
  input.end(lines.join('\n'));
  await once(input, 'end');
  await setImmediate();
  return { transport, isEnded: () => isEnded };
}

test('it ends when each call is answered', async (context) => {
  const { transport, isEnded } = await endedBehind(context, call);
  assert.equal(isEnded(), false);
  await transport.send(answer);
  await transport.ended;
});

test('it ends a minute after its input, whatever is not answered', async (context) => {
  const { transport, isEnded } = await endedBehind(context, call);
  context.mock.timers.tick(59_999);
  await setImmediate();
  assert.equal(isEnded(), false);
  context.mock.timers.tick(1);
  await transport.ended;
});

test('neither a call that was cancelled nor a subscription is waited for', async (context) => {
  const cancelled = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}';
  const subscription = '{"jsonrpc":"2.0","id":2,"method":"subscriptions/listen"}';
  const { isEnded } = await endedBehind(context, call, cancelled, subscription);
  assert.equal(isEnded(), true);
});
