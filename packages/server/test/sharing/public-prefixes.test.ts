import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { ItemStore } from '../../src/engines/item-store.js';
import { createPublicPrefixStore, type PublicPrefixStore } from '../../src/sharing/public-prefixes.js';
import { type DriveFixture, openDriveFixture } from '../support/drive-fixture.js';
import { createGate } from '../support/gate.js';

const site = { prefixes: ['site/'], maxAgeSeconds: 60 };
const none = { prefixes: [], maxAgeSeconds: 60 };

describe('the public prefixes that two servers read', () => {
  let fixture: DriveFixture;
  let nowMs: number;
  let reads: number;
  let beforeAnswer: () => Promise<void>;
  let one: PublicPrefixStore;
  let two: PublicPrefixStore;

  beforeEach(async () => {
    fixture = await openDriveFixture();
    nowMs = 5000;
    reads = 0;
    beforeAnswer = async () => {};
    const shared = shareRows(fixture.items);
    one = createPublicPrefixStore(shared, () => nowMs);
    two = createPublicPrefixStore(shared, () => nowMs);
  });
  afterEach(() => fixture.close());

  /** The same rows as servers see them that share them: each read is a round trip. */
  function shareRows(items: ItemStore): ItemStore {
    return new Proxy(items, {
      get(target, member) {
        if (member === 'isShared') return true;
        if (member !== 'get')
          return Reflect.get(target, member).bind?.(target) ?? Reflect.get(target, member);
        return async (space: string, key: string) => {
          reads++;
          const row = await target.get(space, key);
          await beforeAnswer();
          return row;
        };
      },
    });
  }

  const recent = async (store: PublicPrefixStore) => await store.readRecent('demo', 'photos');

  test('what was read is kept, and no longer than a second', async () => {
    await one.write('demo', 'photos', site);
    assert.deepEqual(await recent(two), site);
    await one.write('demo', 'photos', none);
    nowMs += 999;
    assert.deepEqual(await recent(two), site);
    assert.equal(reads, 1);
    nowMs += 1;
    assert.deepEqual(await recent(two), none);
    assert.equal(reads, 2);
  });

  test('a drive without public files is kept, too, and drives are kept apart', async () => {
    await one.write('demo', 'photos', site);
    for (let n = 0; n < 3; n++) {
      assert.deepEqual(await one.readRecent('demo', 'other'), none);
      assert.deepEqual(await one.readRecent('other', 'photos'), none);
      assert.deepEqual(await recent(one), site);
    }
    assert.equal(reads, 3);
  });

  test('the server that is told of a change shows it at once', async () => {
    assert.deepEqual(await recent(one), none);
    await one.write('demo', 'photos', site);
    assert.deepEqual(await recent(one), site);
    await one.write('demo', 'photos', none);
    assert.deepEqual(await recent(one), none);
  });

  test('a second counts from the beginning of a read, however long it takes', async () => {
    await one.write('demo', 'photos', site);
    const gate = createGate();
    beforeAnswer = () => gate.passed;
    const slow = recent(two);
    nowMs += 900;
    await one.write('demo', 'photos', none);
    gate.open();
    assert.deepEqual(await slow, site);
    nowMs += 100;
    assert.deepEqual(await recent(two), none);
  });

  test('rows that one server has for itself are read each time', async () => {
    const alone = createPublicPrefixStore(fixture.items, () => nowMs);
    const other = createPublicPrefixStore(fixture.items, () => nowMs);
    await other.write('demo', 'photos', site);
    assert.deepEqual(await recent(alone), site);
    await other.write('demo', 'photos', none);
    assert.deepEqual(await recent(alone), none);
  });
});
