import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createIndexUses } from '../../../src/base/indexes/reading/index-uses.js';
import type { QueryPlan } from '../../../src/base/indexes/reading/plan.js';
import { createBaseService } from '../../../src/base/service.js';
import { anyone } from '../../../src/http/memory/buffer-budget.js';
import { baseSpace } from '../../../src/spaces.js';
import { memoryStore } from '../../support/copy-fixture.js';
import { askCount, askQuery, readPut } from '../../support/read-bodies.js';
import { settled } from '../../support/same-answers.js';

const space = baseSpace('p', 'b');

test('each query that an index answers is counted, with its time, and no other', async (context) => {
  const { items } = await memoryStore(context);
  let seconds = 1000;
  const bases = createBaseService(items, () => seconds * 1000);
  const puts = Array.from({ length: 25 }, (_, n) => `{"key":"k${n}","n":${n},"m":${n % 5},"text":"t${n}"}`);
  await bases.put('p', 'b', readPut(`{"items":[${puts}]}`));
  for (const field of ['n', 'm']) await bases.indexes.declare(space, field, { fields: [field] });
  await settled(items, space);
  const uses = async () =>
    Object.fromEntries(
      (await bases.indexes.list(space, () => false)).map(({ name, uses, used_at }) => [
        name,
        [uses, used_at],
      ]),
    );
  assert.deepEqual(await uses(), { n: [0, undefined], m: [0, undefined] });

  await bases.query('p', 'b', askQuery('{"order":["n"],"limit":3}'));
  seconds = 2000;
  await bases.query('p', 'b', askQuery('{"order":["-n"],"limit":3,"count":true}'));
  await bases.byQuery.count(space, askCount('{"query":{"m":2}}'), { ...anyone, project: 'p' });
  // Neither needs one of them.
  seconds = 3000;
  await bases.query('p', 'b', askQuery('{"order":["text"],"limit":3}'));
  await bases.query('p', 'b', askQuery('{"query":{"text?contains":"1"}}'));
  await bases.byQuery.count(space, askCount('{}'), { ...anyone, project: 'p' });
  assert.deepEqual(await uses(), { n: [2, 2000], m: [1, 2000] });

  await bases.indexes.drop(space, 'n');
  await settled(items, space);
  await bases.indexes.declare(space, 'n', { fields: ['n'] });
  await settled(items, space);
  assert.deepEqual((await uses()).n, [0, undefined], 'one that is made anew begins anew');
});

test('an index is counted once for a query, and the bases that are remembered are bounded', () => {
  const uses = createIndexUses(() => 5000);
  const region = (id: string) => ({ index: { id }, region: { gte: '', lt: '' } });
  const plan = { regions: [region('1'), region('1'), region('2')] } as unknown as QueryPlan;
  uses.note('first', plan, { conditions: 1, order: undefined });
  assert.deepEqual([uses.of('first', '1')?.uses, uses.of('first', '2')?.uses], [1, 1]);
  assert.equal(uses.of('first', '3'), undefined);
  for (let n = 0; n < 10_000; n++) uses.note(`base ${n}`, plan, { conditions: 1, order: undefined });
  assert.equal(uses.of('first', '1'), undefined);
  assert.equal(uses.of('base 9999', '1')?.lastSeconds, 5);
});
