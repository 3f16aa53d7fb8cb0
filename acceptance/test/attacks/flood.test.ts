import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { floodShapes, startFlood } from '../../src/abuse/floods.js';
import { type Api, createApi } from '../../src/api.js';
import { type Base, freshBase } from '../../src/names.js';
import { launchTarget, type Target } from '../../src/target.js';
import { protocols } from '../support/service.js';

const connections = 50;
const measured = 100;
const maxMeasured = 20_000;
/**
 * How much longer a GET may take during the flood: up to 165 times was seen on one processor. When each connection was
 * parsed to its end, it was over 1,000.
 */
const maxSlowdown = 500;
/** How many requests each connection of the flood may get between two of the client, which sends one at a time. */
const maxShare = 40;

interface Run {
  readonly medianMs: number;
  /** The median number of other requests that the server began between two of the client. */
  readonly between: number;
  readonly all: number;
}

/**
 * Gets one item after another, until the server has begun more than so many other requests: with one processor, the flood
 * may have been served few times by then.
 */
async function measure(base: Base, others = -1): Promise<Run> {
  const tookMs: number[] = [];
  const numbers: number[] = [];
  const all = () => (numbers.at(-1) as number) - (numbers[0] as number) - (numbers.length - 1);
  while (numbers.length <= measured || (all() <= others && numbers.length < maxMeasured)) {
    const beganMs = performance.now();
    const answer = await base.get('k');
    tookMs.push(performance.now() - beganMs);
    assert.equal(answer.status, 200);
    numbers.push(numberOf(String(answer.headers['x-request-id'])));
  }
  const between = numbers.slice(1).map((number, n) => number - (numbers[n] as number) - 1);
  return {
    medianMs: median(tookMs),
    between: median(between),
    all: all(),
  };
}

/** The number of a request among all requests of its server: the end of its id is a counter. */
function numberOf(requestId: string): number {
  return Number.parseInt(requestId.slice(requestId.lastIndexOf('-') + 1), 36);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number;
}

for (const [protocol, words] of Object.entries(protocols)) {
  describe(protocol, () => {
    let target: Target;
    let api: Api;
    let base: Base;
    /** Before any flood, so that nothing of one is in it. */
    let alone: Run;
    before(async () => {
      target = await launchTarget(...words);
      api = createApi(target);
      base = freshBase(api);
      await base.put({ key: 'k' });
      alone = await measure(base);
    });
    after(async () => {
      api.close();
      await target.close();
    });

    for (const shape of Object.keys(floodShapes)) {
      test(`a client is served beside ${connections} connections that pipeline ${shape} without end`, async (context) => {
        const flood = await startFlood(target, { shape, connections });
        const beside = await measure(base, connections).finally(flood.stop);
        context.diagnostic(JSON.stringify({ alone, beside }));
        assert.ok(beside.medianMs < alone.medianMs * maxSlowdown, 'the client is not kept waiting');
        assert.ok(beside.between < connections * maxShare, 'the client gets its share');
        assert.ok(beside.all > connections, 'the flood was served too');
      });
    }
  });
}
