import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import fc from 'fast-check';
import type { BlobStore } from '../../../src/engines/blob-store.js';
import { openFsBlobStore } from '../../../src/engines/fs/store.js';
import type { ItemStore } from '../../../src/engines/item-store.js';
import { openLevelStore } from '../../../src/engines/level/store.js';
import { openMemoryBlobStore } from '../../../src/engines/memory/blob-store.js';
import { randomId } from '../../../src/lib/random-id.js';
import { orphansSpace } from '../../../src/spaces.js';
import { copyStore } from '../../../src/store/copy/copy-store.js';
import { createIdSet } from '../../../src/store/id-set.js';
import { claimBlobs } from '../../../src/store/identity.js';
import { createOrphanSweep, type OrphanSweep } from '../../../src/store/orphan-sweep.js';
import { findOrphans } from '../../../src/store/orphans.js';
import { maxWaiting } from '../../../src/store/waiting-orphans.js';
import {
  type DriveFixture,
  drive,
  largeBytes,
  minPartBytes,
  openDriveFixture,
} from '../../support/drive-fixture.js';
import { hourMs, type OrphanRounds, orphanRounds } from '../../support/orphan-rounds.js';

const minuteMs = hourMs / 60;
const large = (letter: string) => Buffer.alloc(largeBytes, letter);

describe('blobs without a row', () => {
  let fixture: DriveFixture;
  let rounds: OrphanRounds;

  beforeEach(async () => {
    fixture = await openDriveFixture();
    await claimBlobs(fixture.items, fixture.blobs);
    rounds = roundsOver(fixture.items);
    // Blobs have the time of the real clock: an hour and a half from now all of these are old.
    fixture.nowMs = Date.now() + 1.5 * hourMs;
  });
  afterEach(async () => {
    await rounds.sweep.stop();
    await fixture.close();
  });

  function roundsOver(items: ItemStore, blobs: BlobStore = fixture.blobs): OrphanRounds {
    return orphanRounds({ items, blobs }, () => fixture.nowMs);
  }

  async function orphan(): Promise<string> {
    const id = randomId();
    await fixture.blobs.write(id, [large('o')]);
    return id;
  }

  const put = (name: string, letter: string) =>
    fixture.service.put(...drive, name, { source: large(letter), contentType: 'text/plain' });

  async function uploadOf(name: string, ...letters: string[]): Promise<string> {
    const id = await fixture.service.uploads.initialize(...drive, name);
    for (const [n, letter] of letters.entries()) {
      const bytes = n < letters.length - 1 ? Buffer.alloc(minPartBytes, letter) : large(letter);
      await fixture.service.uploads.part(...drive, name, {
        uploadId: id,
        source: bytes,
        part: n + 1,
        contentType: undefined,
      });
    }
    return id;
  }

  test('are deleted when they have waited for an hour, and no other blob is', async () => {
    await put('file', 'f');
    await fixture.service.uploads.end(...drive, 'joined', { uploadId: await uploadOf('joined', 'a', 'b') });
    await fixture.service.uploads.end(...drive, 'single', { uploadId: await uploadOf('single', 's') });
    await uploadOf('open', 'c', 'd');
    const kept = await fixture.blobIds();
    assert.equal(kept.length, 6);
    const orphans = [await orphan(), await orphan()];

    fixture.nowMs = Date.now() + hourMs / 2;
    assert.equal(await rounds.round(), 0);
    assert.equal((await fixture.blobIds()).length, 8);

    fixture.nowMs = Date.now() + 1.5 * hourMs;
    assert.equal(await rounds.work(hourMs), 0);
    assert.equal((await fixture.blobIds()).length, 8);
    assert.equal(await rounds.round(), 2);
    assert.deepEqual(await fixture.blobIds(), kept);
    assert.ok(orphans.every((id) => !kept.includes(id)));
    assert.ok((await fixture.read('joined'))?.length);
  });

  test('do not include garbage that is still read, nor parts of an aborted upload', async () => {
    await put('file', 'f');
    const reader = await fixture.service.open(...drive, 'file');
    await put('file', 'g');
    await fixture.service.uploads.abort(...drive, 'aborted', await uploadOf('aborted', 'a', 'b'));
    await fixture.service.uploads.end(...drive, 'joined', { uploadId: await uploadOf('joined', 'a', 'b') });
    await fixture.service.remove(...drive, ['joined']);
    const before = await fixture.blobIds();
    assert.equal(await rounds.round(), 0);
    assert.deepEqual(await fixture.blobIds(), before);
    reader?.release();
    await fixture.maintenance.runOnce();
    assert.equal((await fixture.blobIds()).length, 1);
  });

  test('do not include a blob that moves from one row to another while the rows are read', async () => {
    const moves: Readonly<Record<string, () => Promise<() => Promise<unknown>>>> = {
      'a part into a file': async () => {
        const id = await uploadOf('f', 'a', 'b');
        return () => fixture.service.uploads.end(...drive, 'f', { uploadId: id });
      },
      'a single part into a file': async () => {
        const id = await uploadOf('f', 'a');
        return () => fixture.service.uploads.end(...drive, 'f', { uploadId: id });
      },
      'a part into garbage': async () => {
        const id = await uploadOf('f', 'a');
        return () =>
          fixture.service.uploads.part(...drive, 'f', {
            uploadId: id,
            source: large('b'),
            part: 1,
            contentType: undefined,
          });
      },
      'a file into garbage': async () => {
        await put('f', 'a');
        return () => put('f', 'b');
      },
      'a joined file into garbage': async () => {
        await fixture.service.uploads.end(...drive, 'f', { uploadId: await uploadOf('f', 'a', 'b') });
        return () => fixture.service.remove(...drive, ['f']);
      },
    };
    for (const [what, prepare] of Object.entries(moves)) {
      for (let before = 0; before <= 3; before++) {
        const move = await prepare();
        const known = await fixture.blobIds();
        let scans = 0;
        const items: ItemStore = {
          ...fixture.items,
          async *scan(space, range) {
            if (scans++ === before) await move();
            yield* fixture.items.scan(space, range);
          },
        };
        assert.equal(await roundsOver(items).round(), 0, `${what}, before reading ${before}`);
        const left = await fixture.blobIds();
        assert.ok(
          known.every((id) => left.includes(id)),
          what,
        );
        await fixture.service.remove(...drive, ['f']);
        await fixture.maintenance.runOnce();
      }
    }
  });

  test('do not include a blob whose row is written while the blobs are listed', async () => {
    const blobs: BlobStore = {
      ...fixture.blobs,
      async *ids() {
        yield* fixture.blobs.ids();
        await put('late', 'l');
        yield* fixture.blobs.ids();
      },
    };
    assert.equal(await roundsOver(fixture.items, blobs).round(), 0);
    assert.ok(await fixture.read('late'));
  });

  test('are not deleted when a row cannot be read', async () => {
    const id = await orphan();
    const broken = Buffer.from('{"id":');
    await fixture.items.transact('drive/demo/photos', [], () => ({
      puts: [{ key: 'name/broken', value: broken }],
      result: undefined,
    }));
    await assert.rejects(rounds.round(), /JSON/);
    assert.deepEqual(await fixture.blobIds(), [id]);
  });

  test('are not deleted when a row cannot be read after they have waited', async () => {
    const id = await orphan();
    await rounds.work(hourMs);
    const broken = Buffer.from('{"id":');
    await fixture.items.transact('drive/demo/photos', [], () => ({
      puts: [{ key: 'name/broken', value: broken }],
      result: undefined,
    }));
    await assert.rejects(rounds.round(), /JSON/);
    assert.deepEqual(await fixture.blobIds(), [id]);
  });

  test('are found in several scans of the rows when there are more than one scan is for', async () => {
    for (let n = 0; n < 7; n++) await put(`f${n}`, 'f');
    const orphans = new Set(await Promise.all(Array.from({ length: 8 }, orphan)));
    const found: string[] = [];
    const { items, blobs } = fixture;
    for await (const group of findOrphans({ items, blobs, idsPerPass: 3 })) {
      assert.ok(group.length <= 3);
      found.push(...group);
    }
    assert.deepEqual(new Set(found), orphans);
    assert.equal(found.length, 8);
  });

  test('do not include what another server writes, whatever the clocks show', async () => {
    const here = await openFsBlobStore(fixture.blobsFolder);
    for (const shiftMs of [2 * hourMs, -2 * hourMs, 9000 * hourMs]) {
      const { round, work } = orphanRounds({ items: fixture.items, blobs: here }, () => Date.now() + shiftMs);
      await fixture.service.put(...drive, 'slow', {
        source: (async function* () {
          for (let chunk = 0; chunk < 4; chunk++) {
            yield Buffer.alloc(512 * 1024, 's');
            assert.equal(await work(10 * minuteMs), 0);
          }
        })(),
        contentType: 'text/plain',
      });
      assert.equal(await round(), 0);
      assert.equal((await fixture.read('slow'))?.length, 2 * 1024 * 1024);
    }
    await here.close();
  });

  test('are deleted whatever the clocks show', async () => {
    for (const shiftMs of [2 * hourMs, -2 * hourMs, 9000 * hourMs, -9000 * hourMs]) {
      const id = await orphan();
      assert.equal(await orphanRounds(fixture, () => Date.now() + shiftMs).round(), 1);
      assert.ok(!(await fixture.blobIds()).includes(id));
    }
  });

  test('wait for an hour in all over servers that do not run for so long', async () => {
    await orphan();
    let runs = 0;
    for (let deleted = 0; deleted === 0; runs++)
      deleted = await roundsOver(fixture.items).work(20 * minuteMs);
    assert.ok(runs >= 3 && runs <= 5, String(runs));
    assert.deepEqual(await fixture.blobIds(), []);
  });

  test('have not waited while nobody watched', async () => {
    await orphan();
    await rounds.work(10 * minuteMs);
    rounds.sleep(10 * hourMs);
    assert.equal(await rounds.work(30 * minuteMs), 0);
    assert.equal(await rounds.work(30 * minuteMs), 1);
  });

  test('are all deleted, also when there are more than wait at a time', async () => {
    const ids = Array.from({ length: maxWaiting + 3 }, randomId);
    const written = new Set(ids);
    const blobs: BlobStore = {
      ...fixture.blobs,
      async *ids() {
        for (const id of written) yield { id, writtenSeconds: 0, sizeBytes: 1 };
      },
      async delete(some) {
        for (const id of some) written.delete(id);
      },
    };
    assert.equal(await roundsOver(fixture.items, blobs).round(), ids.length);
    assert.equal(written.size, 0);
    for await (const space of fixture.items.spaces(orphansSpace)) assert.fail(space);
  });

  test('do not wait in a copy, which has other blobs', async () => {
    await orphan();
    await rounds.work(10 * minuteMs);
    const destination = { items: await openLevelStore({ memory: true }), blobs: openMemoryBlobStore() };
    const options = { overwrite: false, verify: false, blobsAtOnce: 2, listen() {} };
    await copyStore({ source: fixture, destination, ...options });
    for await (const space of destination.items.spaces(orphansSpace)) assert.fail(space);
    await destination.items.close();
  });

  test('are deleted at the start if they have waited, until the stop', async () => {
    await orphan();
    await rounds.work(hourMs);
    const { items, blobs } = fixture;
    let sweep: OrphanSweep | undefined;
    const fields = await new Promise<unknown>((resolve) => {
      const log = { info: resolve, error: resolve };
      sweep = createOrphanSweep({
        items,
        blobs,
        clock: Date.now,
        ageSeconds: 3540,
        log,
        mayWork: () => true,
      });
      sweep.start();
    });
    assert.deepEqual(fields, { count: 1 });
    await sweep?.stop();
    assert.deepEqual(await fixture.blobIds(), []);
  });
});

test('a set of ids holds what a set of strings holds', () => {
  const pool = Array.from({ length: 40 }, (_, n) => {
    // Many begin alike, so that they meet each other.
    return `${n % 3 === 0 ? '00000000' : randomId().slice(0, 8)}${randomId().slice(8)}`;
  });
  const step = fc.tuple(fc.constantFrom('add', 'remove'), fc.constantFrom(...pool));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const set = createIdSet(pool.length);
      const model = new Set<string>();
      for (const [what, id] of steps) {
        if (what === 'add') {
          set.add(id);
          model.add(id);
        } else {
          set.remove(id);
          model.delete(id);
        }
        assert.equal(set.size, model.size);
      }
      assert.deepEqual([...set.values()].sort(), [...model].sort());
      set.clear();
      assert.deepEqual([set.size, ...set.values()], [0]);
    }),
  );
});
