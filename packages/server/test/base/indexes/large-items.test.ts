import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createBaseService } from '../../../src/base/service.js';
import { openLevelStore } from '../../../src/engines/level/store.js';
import { baseSpace } from '../../../src/spaces.js';
import { readPut } from '../../support/read-bodies.js';
import { entriesAreThose, settled } from '../../support/same-answers.js';

const space = baseSpace('p', 'b');
const count = 20;

test('many large items of one request, and those who change them meanwhile, keep the index in step', async () => {
  const items = await openLevelStore({ memory: true });
  const bases = createBaseService(items, Date.now);
  const large = (n: number, age: number) =>
    `{"key":"k${n}","list":[${Array(50_000).fill(age % 10)}],"age":${age}}`;
  const put = (ages: number[]) =>
    bases.put('p', 'b', readPut(`{"items":[${ages.map((age, n) => large(n, age))}]}`));
  await bases.indexes.declare(space, 'by-age', { fields: ['age'] });
  await put(Array.from({ length: count }, (_, n) => n));
  await settled(items);
  let isOver = false;
  const others = (async () => {
    for (let age = 0; !isOver; age++) {
      await bases.put('p', 'b', readPut(`{"items":[${large(age % count, age)}]}`));
      await nextTurn();
    }
  })();
  for (let round = 1; round <= 3; round++)
    await put(Array.from({ length: count }, (_, n) => 100 * round + n));
  isOver = true;
  await others;
  await entriesAreThose(items);
  assert.equal((await bases.indexes.list(space, () => false))[0]?.entries, count);
  await items.close();
});

test('a project that writes many large items keeps another one waiting for one of its writes', async () => {
  const items = await openLevelStore({ memory: true });
  const bases = createBaseService(items, Date.now);
  for (const project of ['p', 'q'])
    await bases.indexes.declare(baseSpace(project, 'b'), 'by-age', { fields: ['age'] });
  await settled(items);
  const text = 'a'.repeat(300_000);
  const large = Array.from({ length: 5 }, (_, n) => `{"key":"k${n}","age":${n},"text":"${text}"}`);
  const ended: string[] = [];
  const put = async (project: string) => {
    await bases.put(project, 'b', readPut(`{"items":[${large}]}`));
    ended.push(project);
  };
  await Promise.all([...Array.from({ length: 20 }, () => put('p')), put('q')]);
  assert.ok(ended.indexOf('q') < 8, ended.join());
  await items.close();
});
