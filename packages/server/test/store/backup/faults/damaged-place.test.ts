import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { BlobStore } from '../../../../src/engines/blob-store.js';
import { openMemoryBlobStore } from '../../../../src/engines/memory/blob-store.js';
import type { Store } from '../../../../src/engines/store.js';
import { OperatorError } from '../../../../src/operator-error.js';
import { findManifests, type Manifest, manifestId } from '../../../../src/store/backup/manifest.js';
import { requirePlace } from '../../../../src/store/backup/place.js';
import { shownMoment } from '../../../../src/store/backup/report.js';
import { chooseBackup, restoreBackup } from '../../../../src/store/backup/restore.js';
import { takeBackup } from '../../../../src/store/backup/take-backup.js';
import {
  blobsOf,
  drive,
  large,
  memoryStore,
  putItems,
  rowsOf,
  servicesOver,
} from '../../../support/copy-fixture.js';

const quiet = { shown: 'the place', blobsAtOnce: 3, listen: () => {} };
const markerBlob = `${'f'.repeat(31)}e`;
const identityBlob = 'f'.repeat(32);

type Blobs = Map<string, Buffer>;

/** A place with two backups, each with bytes that the other has not, and what the store was at each. */
interface Made {
  readonly source: Store;
  readonly blobs: Blobs;
  /** The older one first. */
  readonly manifests: readonly Manifest[];
  readonly rows: readonly unknown[];
}

async function madePlace(context: TestContext): Promise<Made> {
  const source = await memoryStore(context);
  const { drives, sweep } = servicesOver(source);
  await putItems(source, 'items', ['a', 'b', 'c']);
  await drives.put(...drive, 'small', { source: Buffer.from('small'), contentType: 'x/y' });
  await drives.put(...drive, 'stays', { source: large('s'), contentType: 'x/y' });
  const put = (letter: string) =>
    drives.put(...drive, 'changes', { source: large(letter), contentType: 'x/y' });
  const place = openMemoryBlobStore();
  const rows: unknown[] = [];
  for (const letter of ['a', 'b']) {
    await put(letter);
    await sweep();
    await backUp(source, place);
    rows.push(await rowsOf(source));
  }
  // The bytes of the second backup are in no later one.
  await put('c');
  await sweep();
  const { complete } = await findManifests(place);
  assert.equal(complete.length, 2);
  return { source, rows, manifests: complete, blobs: await blobsOf({ items: source.items, blobs: place }) };
}

function backUp(source: Store, place: BlobStore, options: { keepMs?: number; verify?: boolean } = {}) {
  const holdGarbage = () => () => {};
  return takeBackup({ ...quiet, source, place, holdGarbage, keepMs: undefined, verify: false, ...options });
}

async function placeOf(blobs: Blobs): Promise<BlobStore> {
  const place = openMemoryBlobStore();
  for (const [id, bytes] of blobs) await place.write(id, [bytes]);
  return place;
}

function flipped(bytes: Buffer, bit: number): Buffer {
  const changed = Buffer.from(bytes);
  changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  return changed;
}

/** What a command says, or the message with which it refuses. Any other error fails the test. */
async function saidBy<T>(command: () => Promise<T>): Promise<{ done?: T; refused?: string }> {
  try {
    return { done: await command() };
  } catch (cause) {
    assert.ok(cause instanceof OperatorError, `${(cause as Error).stack}`);
    assert.match(cause.message, /^[^\n]+$/);
    return { refused: cause.message };
  }
}

async function restoredRows(context: TestContext, place: BlobStore, manifest: Manifest): Promise<unknown> {
  const destination = await memoryStore(context);
  const { problems } = await restoreBackup({ ...quiet, place, manifest, destination });
  assert.deepEqual(problems, []);
  return await rowsOf(destination);
}

/** Backs up to a damaged place: whatever was in it must be there afterwards. */
async function assertNothingIsLost({ source }: Made, blobs: Blobs, named: RegExp, keeps = [undefined, 0]) {
  for (const keepMs of keeps) {
    const options = keepMs === undefined ? {} : { keepMs, verify: true };
    const place = await placeOf(blobs);
    const { done, refused } = await saidBy(() => backUp(source, place, options));
    const said = refused ?? done?.problems.map(({ key, problem }) => `${key}: ${problem}`).join('\n') ?? '';
    assert.match(said, named);
    const after = await blobsOf({ items: source.items, blobs: place });
    for (const [id, bytes] of blobs) assert.ok(after.get(id)?.equals(bytes), `${id} is gone`);
  }
}

test('a bit of a manifest flips: every command names it, none takes an older backup for it, nothing is deleted', async (context) => {
  const made = await madePlace(context);
  const { manifests, blobs, rows } = made;
  const [older, newer] = manifests as [Manifest, Manifest];
  for (const [manifest, other, expected] of [
    [newer, older, rows[0]],
    [older, newer, rows[1]],
  ] as const) {
    const id = manifestId(manifest.momentMs);
    const bytes = blobs.get(id) ?? assert.fail();
    const moment = shownMoment(manifest.momentMs);
    const named = new RegExp(`^The backup of ${moment} is damaged: its manifest, ${id}, has other bytes`);
    const place = await placeOf(blobs);
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const damagedBlobs: Blobs = new Map(blobs).set(id, flipped(bytes, bit));
      await place.write(id, [flipped(bytes, bit)]);
      const found = await findManifests(place);
      assert.deepEqual(found.complete, [other], `bit ${bit}`);
      assert.deepEqual([found.damaged.length, found.damaged[0]?.momentMs], [1, manifest.momentMs]);
      const asked = await saidBy(() => chooseBackup(place, 'the place', moment));
      assert.match(asked.refused ?? '', named);
      const newest = await saidBy(() => chooseBackup(place, 'the place', undefined));
      if (manifest === newer) {
        assert.match(newest.refused ?? '', named);
        assert.match(
          newest.refused ?? '',
          new RegExp(`--at: the newest whole one is of ${shownMoment(older.momentMs)}$`),
        );
      } else {
        assert.match(newest.done?.notes.join() ?? '', named);
      }
      const chosen = await chooseBackup(place, 'the place', shownMoment(other.momentMs));
      assert.deepEqual(chosen.manifest, other);
      if (bit % 41 !== 0) continue;
      assert.deepEqual(await restoredRows(context, place, chosen.manifest), expected);
      await assertNothingIsLost(
        made,
        damagedBlobs,
        new RegExp(`^${id}: The backup of ${moment} is damaged: .*nothing is deleted`),
      );
    }
  }
});

test('a bit of a list or of rows flips: the backup is not restored, and no backup deletes what it may name', async (context) => {
  const made = await madePlace(context);
  const { manifests, blobs, rows } = made;
  for (const [n, { momentMs, list, rows: part }] of manifests.entries()) {
    const moment = shownMoment(momentMs);
    const other = manifests[1 - n] as Manifest;
    for (const { id } of [list, part]) {
      const bytes = blobs.get(id) ?? assert.fail();
      const place = await placeOf(blobs);
      for (let bit = 0; bit < bytes.length * 8; bit += 7) {
        const damagedBlobs: Blobs = new Map(blobs).set(id, flipped(bytes, bit));
        await place.write(id, [flipped(bytes, bit)]);
        const { refused } = await saidBy(() => chooseBackup(place, 'the place', moment));
        assert.equal(
          refused,
          `The backup of ${moment} is damaged: its part ${id} has other bytes than were written`,
        );
        if (bit % (7 * 41) !== 0) continue;
        const chosen = await chooseBackup(place, 'the place', shownMoment(other.momentMs));
        assert.deepEqual(await restoredRows(context, place, chosen.manifest), rows[1 - n]);
        if (id === list.id) {
          const problem = new RegExp(`^${id}: The backup of ${moment} is damaged`);
          // With `--keep 0s` both would be dropped, as if they were whole.
          await assertNothingIsLost(made, damagedBlobs, problem, [undefined]);
        } else {
          const { problems } = await backUp(made.source, await placeOf(damagedBlobs), { verify: true });
          assert.deepEqual(
            problems.map(({ key }) => key),
            [id],
          );
        }
      }
    }
  }
});

test('a bit of the files of a place itself flips, or they are lost: nobody takes it for an empty place, and one can restore from it', async (context) => {
  const made = await madePlace(context);
  const { source, manifests, blobs } = made;
  const [, newer] = manifests as [Manifest, Manifest];
  const marker = blobs.get(markerBlob) ?? assert.fail();
  const place = await placeOf(blobs);
  for (let bit = 0; bit < marker.length * 8; bit++) {
    await place.write(markerBlob, [flipped(marker, bit)]);
    const before = await blobsOf({ items: source.items, blobs: place });
    const note = `The file ${markerBlob} in the place, which says whose backups these are, is damaged`;
    assert.equal(await requirePlace(place, 'the place'), note, `bit ${bit}`);
    const chosen = await chooseBackup(place, 'the place', undefined);
    assert.deepEqual([chosen.manifest, chosen.notes], [newer, [note]]);
    const { refused } = await saidBy(() => backUp(source, place));
    assert.equal(refused, `${note}: give another place`);
    assert.deepEqual(await blobsOf({ items: source.items, blobs: place }), before);
  }
  for (const marker of [undefined, Buffer.alloc(0)]) {
    const lost: Blobs = new Map(blobs);
    lost.delete(markerBlob);
    if (marker !== undefined) lost.set(markerBlob, marker);
    const other = await placeOf(lost);
    const note = `The file ${markerBlob} in the place, which says whose backups these are, is missing`;
    const chosen = await chooseBackup(other, 'the place', undefined);
    assert.deepEqual([chosen.manifest, chosen.notes], [newer, [note]]);
    const { refused } = await saidBy(() => backUp(source, other));
    assert.match(
      String(refused),
      /^the place holds something other than backups, or has lost the file f{31}e, which/,
    );
  }
  const identity = blobs.get(identityBlob) ?? assert.fail();
  for (let bit = 0; bit < identity.length * 8; bit += 5) {
    const other = await placeOf(new Map(blobs).set(identityBlob, flipped(identity, bit)));
    assert.deepEqual((await chooseBackup(other, 'the place', undefined)).notes, []);
    assert.deepEqual((await backUp(source, other)).problems, []);
  }
});

test('a blob that only a damaged backup names is not copied over, even if the source has lost it', async (context) => {
  const made = await madePlace(context);
  const { source, manifests, blobs } = made;
  const [, newer] = manifests as [Manifest, Manifest];
  // The file is again as in the second backup, whose manifest is damaged; its bytes are damaged at the source.
  const place = await placeOf(blobs);
  const restored = await memoryStore(context);
  await restoreBackup({ ...quiet, place, manifest: newer, destination: restored });
  const row = await restored.items.get('drive/demo/photos', 'name/changes');
  const puts = [{ key: 'name/changes', value: row ?? assert.fail() }];
  await source.items.transact('drive/demo/photos', [], () => ({ puts, result: undefined }));
  const id = manifestId(newer.momentMs);
  await place.delete([id]);
  await place.write(id, [flipped(blobs.get(id) ?? assert.fail(), 100)]);
  const report = await backUp(source, place);
  assert.deepEqual([report.problemCount, report.problems[0]?.key, report.blobsCopied], [1, id, 0]);
  const { complete } = await findManifests(place);
  assert.deepEqual(await restoredRows(context, place, complete.at(-1) as Manifest), await rowsOf(source));
});

test('places and manifests of earlier versions, which have no checksum, number and format, are read; those that cannot be right are damaged', async (context) => {
  const made = await madePlace(context);
  const { source, rows } = made;
  const manifests = made.manifests.map(({ number: _, format: __, ...manifest }) => manifest);
  const old: Blobs = new Map(made.blobs);
  const plain = (bytes: Buffer) =>
    Buffer.from(
      String(bytes)
        .replace(/,"crc32":"[0-9a-f]{8}"\}$/, '}')
        .replace(/"number":\d+,"format":\d+,/, ''),
    );
  for (const id of [markerBlob, ...manifests.map(({ momentMs }) => manifestId(momentMs))])
    old.set(id, plain(old.get(id) ?? assert.fail()));
  const place = await placeOf(old);
  assert.deepEqual(await findManifests(place), { complete: manifests, damaged: [] });
  const chosen = await chooseBackup(place, 'the place', undefined);
  assert.deepEqual(await restoredRows(context, place, chosen.manifest), rows[1]);
  assert.deepEqual((await backUp(source, place, { keepMs: 0 })).problems, []);
  assert.equal((await findManifests(place)).complete.length, 1);

  const newest = manifestId(manifests[1]?.momentMs ?? 0);
  const bytes = old.get(newest) ?? assert.fail();
  let unnoticed = 0;
  const damaged = await placeOf(old);
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    await damaged.write(newest, [flipped(bytes, bit)]);
    const said = await saidBy(() => chooseBackup(damaged, 'the place', undefined));
    if (said.refused !== undefined) continue;
    // Only numbers that nothing else says can be wrong: the counts for people, and that of the rows.
    const { rows: part, list, problemCount, momentMs } = said.done?.manifest ?? assert.fail();
    const [, { rows: was, list: wasList, momentMs: wasMoment }] = manifests as [Manifest, Manifest];
    assert.deepEqual(
      [momentMs, part.id, list.id, list.count],
      [wasMoment, was.id, wasList.id, wasList.count],
    );
    const changes = [part.count !== was.count, list.blobBytes !== wasList.blobBytes, problemCount !== 0];
    assert.equal(changes.filter(Boolean).length, 1, `bit ${bit}`);
    unnoticed++;
  }
  assert.ok(unnoticed < 150, `${unnoticed}`);
});

test('an empty manifest is that of an interrupted run: it is cleaned up', async (context) => {
  const { source, blobs, manifests } = await madePlace(context);
  const [older, newer] = manifests as [Manifest, Manifest];
  const place = await placeOf(new Map(blobs).set(manifestId(newer.momentMs), Buffer.alloc(0)));
  assert.deepEqual((await chooseBackup(place, 'the place', undefined)).manifest, older);
  assert.deepEqual((await backUp(source, place)).problems, []);
  const moments = (await findManifests(place)).complete.map(({ momentMs }) => momentMs);
  assert.ok(!moments.includes(newer.momentMs));
  assert.ok(!(await blobsOf({ items: source.items, blobs: place })).has(newer.rows.id));
});
