import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import fc from 'fast-check';
import type { BlobStore } from '../../../src/engines/blob-store.js';
import type { ItemStore } from '../../../src/engines/item-store.js';
import { randomId } from '../../../src/lib/random-id.js';
import { createIdSet } from '../../../src/store/id-set.js';
import { claimBlobs } from '../../../src/store/identity.js';
import { createOrphanSweep, findOrphans, type OrphanSweep } from '../../../src/store/orphans.js';
import {
  type DriveFixture,
  drive,
  largeBytes,
  minPartBytes,
  openDriveFixture,
} from '../../support/drive-fixture.js';

const hourMs = 3_600_000;
const large = (letter: string) => Buffer.alloc(largeBytes, letter);

describe('blobs without a row', () => {
  let fixture: DriveFixture;
  let sweep: OrphanSweep;
  /** Resolves with what is logged first. */
  let logged: Promise<unknown>;
  let note: (fields: unknown) => void;

  beforeEach(async () => {
    fixture = await openDriveFixture();
    await claimBlobs(fixture.items, fixture.blobs);
    logged = new Promise((resolve) => {
      note = resolve;
    });
    sweep = sweepOver(fixture.items);
    // Blobs have the time of the real clock: an hour and a half from now all of these are old.
    fixture.nowMs = Date.now() + 1.5 * hourMs;
  });
  afterEach(async () => {
    await sweep.stop();
    await fixture.close();
  });

  function sweepOver(items: ItemStore, blobs: BlobStore = fixture.blobs): OrphanSweep {
    const log = { info: note, error: note };
    return createOrphanSweep({
      items,
      blobs,
      clock: () => fixture.nowMs,
      ageSeconds: 3600,
      log,
      mayWork: () => true,
    });
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

  test('are deleted when they are an hour old, and no other blob is', async () => {
    await put('file', 'f');
    await fixture.service.uploads.end(...drive, 'joined', { uploadId: await uploadOf('joined', 'a', 'b') });
    await fixture.service.uploads.end(...drive, 'single', { uploadId: await uploadOf('single', 's') });
    await uploadOf('open', 'c', 'd');
    const kept = await fixture.blobIds();
    assert.equal(kept.length, 6);
    const orphans = [await orphan(), await orphan()];

    fixture.nowMs = Date.now() + hourMs / 2;
    assert.equal(await sweep.runOnce(), 0);
    assert.equal((await fixture.blobIds()).length, 8);

    fixture.nowMs = Date.now() + 1.5 * hourMs;
    assert.equal(await sweep.runOnce(), 2);
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
    assert.equal(await sweep.runOnce(), 0);
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
        assert.equal(await sweepOver(items).runOnce(), 0, `${what}, before reading ${before}`);
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
    assert.equal(await sweepOver(fixture.items, blobs).runOnce(), 0);
    assert.ok(await fixture.read('late'));
  });

  test('are not deleted when a row cannot be read', async () => {
    const id = await orphan();
    const broken = Buffer.from('{"id":');
    await fixture.items.transact('drive/demo/photos', [], () => ({
      puts: [{ key: 'name/broken', value: broken }],
      result: undefined,
    }));
    await assert.rejects(sweep.runOnce());
    assert.deepEqual(await fixture.blobIds(), [id]);
    sweep.start();
    assert.match(String(((await logged) as { err: unknown }).err), /JSON/);
  });

  test('are found in several scans of the rows when there are more than one scan is for', async () => {
    for (let n = 0; n < 7; n++) await put(`f${n}`, 'f');
    const orphans = new Set(await Promise.all(Array.from({ length: 8 }, orphan)));
    const found: string[] = [];
    const { items, blobs } = fixture;
    const search = { items, blobs, clock: () => fixture.nowMs, ageSeconds: 3600, idsPerPass: 3 };
    for await (const group of findOrphans(search)) {
      assert.ok(group.length <= 3);
      found.push(...group);
    }
    assert.deepEqual(new Set(found), orphans);
    assert.equal(found.length, 8);
  });

  test('are searched at the start, until the stop', async () => {
    await orphan();
    sweep.start();
    assert.deepEqual(await logged, { count: 1 });
    await sweep.stop();
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
