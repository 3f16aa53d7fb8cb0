import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { patterned } from '../../conformance/blob-store-suite.js';
import {
  collect,
  type DriveFixture,
  drive,
  largeBytes,
  openDriveFixture,
} from '../../support/drive-fixture.js';

describe('the drive service, for files that expire,', () => {
  let fixture: DriveFixture;
  beforeEach(async () => {
    fixture = await openDriveFixture();
  });
  afterEach(() => fixture.close());

  const put = (name: string, size: number, inSeconds: number | undefined) =>
    fixture.service.put(...drive, name, {
      source: patterned(size, size),
      contentType: 'text/plain',
      expiresAtSeconds: inSeconds && Math.floor(fixture.nowMs / 1000) + inSeconds,
    });

  test('deletes their rows and bytes in their second, and no other file', async () => {
    for (const size of [10, largeBytes]) {
      await put(`soon ${size}`, size, 10);
      await put(`later ${size}`, size, 20);
      await put(`never ${size}`, size, undefined);
    }
    fixture.nowMs += 9000;
    await fixture.maintenance.runOnce();
    assert.equal((await fixture.keys('name/')).length, 6);
    assert.ok(await fixture.read('soon 10'));
    fixture.nowMs += 1000;
    assert.equal(await fixture.read('soon 10'), undefined);
    assert.equal(await fixture.read(`soon ${largeBytes}`), undefined);
    await fixture.maintenance.runOnce();
    const left = ['later 10', `later ${largeBytes}`, 'never 10', `never ${largeBytes}`];
    assert.deepEqual(
      await fixture.keys('name/'),
      left.map((name) => `name/${name}`),
    );
    assert.equal((await fixture.keys('content/')).length, 2);
    assert.equal((await fixture.blobIds()).length, 2);
    assert.deepEqual(await fixture.keys('garbage/'), []);
    assert.deepEqual(fixture.logged, []);
  });

  test('do not keep a drive once they have expired, and do until then', async () => {
    const { service } = fixture;
    await service.keep(...drive);
    await put('a', 10, 10);
    assert.equal(await service.drop(...drive), 'not empty');
    fixture.nowMs += 10_000;
    assert.equal(await service.drop(...drive), 'dropped');
    assert.equal(await service.sinceMs(...drive), undefined);
    assert.equal(await service.drop(...drive), 'absent');
  });

  test('a file that was put, moved or changed before its second lives by its new one', async () => {
    for (const name of ['put', 'changed']) await put(name, 10, 10);
    await put('moved', largeBytes, 10);
    await put('put', 10, undefined);
    await fixture.service.change(...drive, 'changed', { expiresAtSeconds: null });
    await fixture.service.move(...drive, { files: [{ from: 'moved', to: 'to' }], overwrite: false });
    fixture.nowMs += 10_000;
    await fixture.maintenance.runOnce();
    assert.deepEqual(await fixture.keys('name/'), ['name/changed', 'name/put']);
    assert.deepEqual(await fixture.blobIds(), []);
  });

  test('a download that began before ends with the bytes', async () => {
    await put('a', largeBytes, 10);
    const file = await fixture.service.open(...drive, 'a');
    fixture.nowMs += 10_000;
    await fixture.maintenance.runOnce();
    assert.deepEqual(await fixture.keys('name/'), []);
    const bytes = await collect(file?.read({ start: 0, end: largeBytes - 1 }) ?? assert.fail());
    assert.ok(bytes.equals(patterned(largeBytes, largeBytes)));
    file?.release();
    fixture.nowMs += 6000;
    await fixture.maintenance.runOnce();
    assert.deepEqual(await fixture.blobIds(), []);
  });
});
