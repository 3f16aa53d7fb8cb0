import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { aroundDamage, type Gap } from '../../src/archive/api/around-damage.js';
import { BasedriveError } from '../../src/http/error.js';

const damage = new BasedriveError('failed', 'Stored data is damaged', { codes: [{ code: 'damaged_data' }] });
const pageSize = 3;

/** Reads keys of which some are damaged, as the service answers: no page has any of those. */
async function readAround(keys: readonly string[], isDamaged: (key: string) => boolean, tellsEnd = false) {
  const inOrder = [...keys].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const after = (last: string | undefined, limit: number) => {
    const isLater = (key: string) =>
      last === undefined || Buffer.compare(Buffer.from(key), Buffer.from(last)) > 0;
    const found = inOrder.filter(isLater).slice(0, limit);
    // The service takes no other text where a name is to be.
    assert.doesNotMatch(last ?? '', /\p{Cc}|\p{Cs}/u);
    if (found.some(isDamaged))
      throw tellsEnd ? damageUntil(found.findIndex(isDamaged) + inOrder.indexOf(found[0] as string)) : damage;
    return found;
  };
  /** What the service answers that knows the last key of a damaged place. */
  const damageUntil = (first: number) => {
    let at = first;
    while (at + 1 < inOrder.length && isDamaged(inOrder[at + 1] as string)) at++;
    const codes = [{ code: 'damaged_data', ...(at + 1 < inOrder.length && { until: inOrder[at] }) }] as const;
    return new BasedriveError('failed', 'Stored data is damaged', { codes });
  };
  let asked = 0;
  async function* read(last: string | undefined) {
    for (let page = after(last, pageSize); page.length > 0; page = after(page.at(-1), pageSize)) yield* page;
  }
  const next = async (last: string | undefined) => {
    asked++;
    return after(last, 1)[0];
  };
  const gaps: Gap[] = [];
  const found: string[] = [];
  for await (const key of aroundDamage({ read, next, keyOf: (key) => key }, (gap) => void gaps.push(gap)))
    found.push(key);
  return { inOrder, found, gaps, asked };
}

const numbered = Array.from({ length: 400 }, (_, n) => `item-${String(n).padStart(5, '0')}`);

describe('what is read around damage', () => {
  test('has everything outside damaged stretches that are not near each other', async () => {
    const damaged = new Set([...numbered.slice(0, 3), ...numbered.slice(245, 262), ...numbered.slice(390)]);
    const { found, gaps } = await readAround(numbered, (key) => damaged.has(key));
    assert.deepEqual(
      found,
      numbered.filter((key) => !damaged.has(key)),
    );
    assert.deepEqual(gaps, [
      { after: undefined, before: 'item-00003' },
      { after: 'item-00244', before: 'item-00262' },
      { after: 'item-00389', before: undefined },
    ]);
  });

  test('is nothing where all is damaged, and everything where nothing is', async () => {
    const none = await readAround(numbered, () => true);
    assert.deepEqual([none.found, none.gaps], [[], [{ after: undefined, before: undefined }]]);
    const all = await readAround(numbered, () => false);
    assert.deepEqual([all.found, all.gaps, all.asked], [numbered, [], 0]);
  });

  test('has all but one damaged stretch, whatever the keys are', async () => {
    const key = fc.string({ unit: 'binary', minLength: 1, maxLength: 8 });
    const printable = key.filter((one) => !/\p{Cc}/u.test(one));
    const keys = fc.uniqueArray(printable, { minLength: 1, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(keys, fc.nat(), fc.nat(), async (some, from, length) => {
        const inOrder = [...some].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
        const start = from % inOrder.length;
        const damaged = new Set(inOrder.slice(start, start + 1 + (length % inOrder.length)));
        const { found, gaps } = await readAround(some, (one) => damaged.has(one));
        assert.deepEqual(
          found,
          inOrder.filter((one) => !damaged.has(one)),
        );
        assert.deepEqual(gaps, [{ after: inOrder[start - 1], before: inOrder[start + damaged.size] }]);
      }),
    );
  });

  test('has everything that is not damaged, where the service tells the ends of damaged places', async () => {
    const flags = fc.array(fc.boolean(), { minLength: 400, maxLength: 400 });
    await fc.assert(
      fc.asyncProperty(flags, async (some) => {
        const isDamaged = (one: string) => some[numbered.indexOf(one)] === true;
        const { found } = await readAround(numbered, isDamaged, true);
        assert.deepEqual(
          found,
          numbered.filter((key) => !isDamaged(key)),
        );
      }),
      { numRuns: 20 },
    );
  });

  test('is searched for where the service tells an end that cannot be', async () => {
    for (const until of ['', 'item-00010', 'item-00244', 'item\u0001', '\ud800']) {
      const told = new BasedriveError('failed', 'x', { codes: [{ code: 'damaged_data', until }] });
      const isDamaged = (key: string) => key >= 'item-00245' && key < 'item-00262';
      const next = async (last: string | undefined) => {
        const found = numbered.find((key) => last === undefined || key > last);
        if (found !== undefined && isDamaged(found)) throw told;
        return found;
      };
      async function* read(last: string | undefined) {
        for (let one = await next(last); one !== undefined; one = await next(one)) yield one;
      }
      const gaps: Gap[] = [];
      const found: string[] = [];
      for await (const key of aroundDamage({ read, next, keyOf: (key) => key }, (gap) => void gaps.push(gap)))
        found.push(key);
      assert.deepEqual(gaps, [{ after: 'item-00244', before: 'item-00262' }], until);
      assert.equal(found.length, 400 - 17);
    }
  });

  test('never has a damaged key, and each of these is in a gap', async () => {
    const flags = fc.array(fc.boolean(), { minLength: 400, maxLength: 400 });
    await fc.assert(
      fc.asyncProperty(flags, async (some) => {
        const { found, gaps } = await readAround(numbered, (one) => some[numbered.indexOf(one)] === true);
        const given = new Set(found);
        assert.equal(given.size, found.length);
        for (const [n, one] of numbered.entries()) {
          const isInGap = gaps.some(({ after = '', before = '~' }) => one > after && one < before);
          assert.equal(isInGap, !given.has(one), one);
          if (some[n]) assert.ok(isInGap, one);
        }
      }),
      { numRuns: 20 },
    );
  });
});
