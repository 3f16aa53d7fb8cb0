import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { describe, mock, test } from 'node:test';
import { type Batch, cursorOf, type Position } from '../../src/feed/position.js';
import { events, lines, type StreamFormat, streamAnswer } from '../../src/feed/stream-changes.js';

const position: Position = { epoch: 'e', next: '1', given: 0 };
const cursor = cursorOf(position);
const silentMs = 15_000;

/** Says that nothing is there, and then nothing. */
function silence(nothing: Promise<never> = new Promise(() => {})): AsyncGenerator<Batch> {
  const batches = (async function* () {
    yield { changes: [], position, isLive: true };
  })();
  const first = batches.next();
  let isFirst = true;
  batches.next = () => {
    if (!isFirst) return nothing;
    isFirst = false;
    return first;
  };
  return batches;
}

/** Says where it begins. */
async function* beginning(): AsyncGenerator<Batch> {
  yield { changes: [], position, isLive: false };
}

/** What a stream says at first, and then twice when nothing has come for 15 seconds. */
async function saidBy(format: StreamFormat, batches = silence()): Promise<readonly string[]> {
  const { headers, body } = await streamAnswer(batches, format);
  assert.equal(headers[headers.indexOf('X-Accel-Buffering') + 1], 'no');
  const chunks = (body as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  const { setTimeout: usual } = globalThis;
  const asked: unknown[] = [];
  const timers = mock.method(globalThis, 'setTimeout', (call: () => void, ms: number) => {
    asked.push(ms);
    const timer = usual(call, 0);
    // Nothing else keeps the process.
    timer.unref = () => timer;
    return timer;
  });
  try {
    const said: string[] = [];
    for (let n = 0; n < 3; n++) said.push(String((await chunks.next()).value));
    assert.deepEqual(asked, [silentMs, silentMs]);
    return said;
  } finally {
    timers.mock.restore();
    await chunks.return?.();
  }
}

/** docs/http.md#streams-of-changes. */
test('a stream says first where it begins', async () => {
  for (const [format, said] of [
    [lines, `{"cursor":"${cursor}"}\n`],
    [events, `retry: 1000\n\nid: ${cursor}\n: nothing new\n\n`],
  ] as const) {
    const { body } = await streamAnswer(beginning(), format);
    assert.equal(await text(body as AsyncIterable<Buffer>), said);
  }
});

/** docs/http.md#streams-of-changes. */
describe('a stream of changes on which nothing comes', () => {
  test('gives its cursor as a line each 15 seconds', async () => {
    const quiet = `{"cursor":"${cursor}"}\n`;
    assert.deepEqual(await saidBy(lines), [`{"cursor":"${cursor}","live":true}\n`, quiet, quiet]);
  });

  test('gives events a comment, their id, and when to come again', async () => {
    const quiet = `id: ${cursor}\n: nothing new\n\n`;
    const first = `retry: 1000\n\nevent: live\nid: ${cursor}\ndata: {}\n\n`;
    assert.deepEqual(await saidBy(events), [first, quiet, quiet]);
  });

  test('keeps nothing of each time that it has waited', async () => {
    const nothing = new Promise<never>(() => {});
    const { mock: waited } = mock.method(nothing, 'then');
    await saidBy(lines, silence(nothing));
    assert.equal(waited.callCount(), 1);
  });
});
