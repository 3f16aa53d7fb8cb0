import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { anyListed } from '../../src/drive/contents/row-contents.js';
import type { Link } from '../../src/sharing/link.js';
import { createListedLinks, type ListedLinks } from '../../src/sharing/listed-links.js';
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
    await listed.add('key', [linkTo('short', 5), linkTo('long', 500)]);
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
    await listed.add('key', [linkTo('a', 5)]);
    await assert.rejects(
      names(() => true),
      /closed before the answer/,
    );
  });
});
