import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { anyListed } from '../../src/drive/contents/row-contents.js';
import type { ItemStore } from '../../src/engines/item-store.js';
import type { Link } from '../../src/sharing/link.js';
import { createListedLinks, type ListedLinks } from '../../src/sharing/listed-links.js';
import { driveSpace } from '../../src/spaces.js';
import { type DriveFixture, drive, openDriveFixture } from '../support/drive-fixture.js';

describe('the links that a drive lists', () => {
  let fixture: DriveFixture;
  let listed: ListedLinks;
  const [project, driveName] = drive;

  beforeEach(async () => {
    fixture = await openDriveFixture();
    listed = createListedLinks(fixture.items, () => fixture.nowMs);
  });
  afterEach(() => fixture.close());

  const linkTo = (name: string, afterSeconds: number): Link => ({
    method: 'GET',
    project,
    drive: driveName,
    name,
    expiresAtSeconds: fixture.nowMs / 1000 + afterSeconds,
  });
  const ask = { prefix: '', within: '', last: '', limit: 10, isAllowed: async () => true };
  const names = async (isAbandoned = () => false) => {
    const { links } = await listed.list(...drive, { ...ask, isAbandoned });
    return links.map(({ link }) => link.name);
  };

  test('leave the list in their second, and the store soon after', async () => {
    const linkOf = (name: string) => linkTo(name, name === 'short' ? 5 : 500);
    await listed.add(...drive, { keyId: 'key', names: ['short', 'long'], linkOf });
    fixture.nowMs += 4999;
    assert.deepEqual((await names()).toSorted(), ['long', 'short']);
    fixture.nowMs += 1;
    assert.deepEqual(await names(), ['long']);
    assert.equal((await fixture.rows(anyListed)).length, 2);
    await fixture.maintenance.runOnce();
    assert.equal((await fixture.rows(anyListed)).length, 1);
    assert.deepEqual(fixture.logged, []);
  });

  test('are not read for a client that has left', async () => {
    await listed.add(...drive, { keyId: 'key', names: ['a'], linkOf: (name) => linkTo(name, 5) });
    await assert.rejects(
      names(() => true),
      /closed before the answer/,
    );
  });

  test('that many requests make at once are stored one part at a time, and another project waits for none', async () => {
    let [atOnce, most, stored] = [0, 0, 0];
    let release: () => void = () => {};
    const isReleased = new Promise<void>((resolve) => {
      release = resolve;
    });
    const items: ItemStore = {
      ...fixture.items,
      async transact(space, keys, decide, options) {
        const isBusy = space === driveSpace(...drive);
        if (isBusy) most = Math.max(most, ++atOnce);
        if (isBusy) await isReleased;
        const result = await fixture.items.transact(space, keys, decide, options);
        if (isBusy) atOnce--;
        stored++;
        return result;
      },
    };
    const crowded = createListedLinks(items, () => fixture.nowMs);
    let made = 0;
    const names = Array.from({ length: 150 }, (_, n) => `f${n}`);
    const linkOf = (name: string) => {
      made++;
      return linkTo(name, 500);
    };
    const add = (of: string) => crowded.add(of, driveName, { keyId: 'key', names, linkOf });
    const requests = Array.from({ length: 8 }, () => add(project));
    while (atOnce === 0) await nextTurn();
    assert.equal(made, 100);
    await add('other');
    assert.equal(stored, 2);
    release();
    const ids = (await Promise.all(requests)).flat();
    assert.equal(most, 1);
    assert.equal(new Set(ids).size, 8 * 150);
    assert.equal((await fixture.rows(anyListed)).length, 8 * 150);
  });
});
