import { WrongBytes } from '../../drive/contents/checksums.js';
import type { Piece } from '../../drive/rows.js';
import type { BlobStore } from '../../engines/blob-store.js';
import type { FrozenRows } from '../../engines/item-store.js';
import { BlobMissing } from '../../engines/storage-errors.js';
import type { Store } from '../../engines/store.js';
import { mapInOrder } from '../../lib/concurrency/map-in-order.js';
import { randomId } from '../../lib/random-id.js';
import { OperatorError } from '../../operator-error.js';
import { type BlobCopier, createBlobCopier } from '../copy/copy-blob.js';
import { isCopied } from '../copy/copy-marker.js';
import { neededOrProblem } from '../copy/named-blobs.js';
import { type CopyProgress, createMeter, type Meter } from '../copy/progress.js';
import { copiedBatches } from '../copy/row-batches.js';
import { noThrottle, type Throttle } from '../copy/throttle.js';
import { folderFormat } from '../data-folder.js';
import { ensureIdentity } from '../identity.js';
import { addProblem } from '../problems.js';
import { type BlobList, createBlobList, idSetFor } from './blob-list.js';
import { readPart } from './checked-part.js';
import { type BackupPart, type DamagedBackup, damageText, writeManifest } from './manifest.js';
import { claimPlace } from './place.js';
import { type BackupReport, emptyBackupReport, shownMoment } from './report.js';
import { dropOldBackups, findDamagedParts, type Holdings, readHoldings } from './retention.js';
import { encodeRows, type SpacedRow } from './row-stream.js';

export interface BackupOptions {
  readonly source: Store;
  readonly place: BlobStore;
  /** The address of the place, for messages. */
  readonly shown: string;
  /** Keeps the bytes of overwritten and deleted files until the returned function is called. */
  readonly holdGarbage: () => () => void;
  /** Older backups are dropped when this one is complete; undefined: none. Milliseconds. */
  readonly keepMs: number | undefined;
  /** Reads every blob of the backup again at its end, and mends it. */
  readonly verify: boolean;
  readonly blobsAtOnce: number;
  readonly throttle?: Throttle;
  readonly listen: (progress: CopyProgress) => void;
  readonly signal?: AbortSignal | undefined;
}

interface Run extends BackupOptions {
  readonly copier: BlobCopier;
  readonly meter: Meter;
  readonly report: BackupReport;
  readonly throwIfEnded: () => void;
}

/**
 * Backs up rows and bytes as they were at one moment, while others write. The backup has every write that was
 * acknowledged before the moment, and none that began after it; a write in progress is in it whole or not at all.
 * Blobs never change, so only those that no earlier backup has are copied; until then the store keeps them. The
 * manifest is written last: without it there is no backup. Throws `OperatorError`, `StorageUnavailable`.
 */
export async function takeBackup(options: BackupOptions): Promise<BackupReport> {
  const { source, place, shown, signal } = options;
  const startMs = performance.now();
  const { freeze } = source.items;
  if (freeze === undefined) {
    throw new OperatorError(
      'Rows in a database are backed up with the tools of the database: see "Backup" in docs/operations.md',
    );
  }
  const meter = createMeter(options.listen);
  const throwIfEnded = () => {
    if (signal?.aborted) throw new OperatorError('The backup was ended before it was complete: run it again');
  };
  const copier = createBlobCopier({
    source: source.blobs,
    destination: place,
    moved: meter.moved,
    throwIfEnded,
  });
  const report = emptyBackupReport();
  const run: Run = { ...options, copier, meter, report, throwIfEnded };
  await claimPlace(place, await ensureIdentity(source.items), shown);
  const holdings = await readHoldings(place, throwIfEnded);
  const release = options.holdGarbage();
  try {
    const momentMs = Date.now();
    report.moment = shownMoment(momentMs);
    const frozen = await freeze();
    meter.begin('copying');
    const { rows, list } = await writeRows(run, frozen).finally(() => frozen.close());
    await copyBlobs(run, list, holdings);
    const listPart = await writePart(place, list.chunks());
    const counted = { count: list.count, blobBytes: list.blobBytes };
    if (options.verify) {
      for (const part of [rows, listPart]) for await (const _ of readPart(place, part)) throwIfEnded();
      await verifyBlobs(run, list);
    }
    throwIfEnded();
    const { problemCount } = report;
    const number = holdings.next;
    const made = { momentMs, number, format: folderFormat };
    await writeManifest(place, { ...made, rows, list: { ...listPart, ...counted }, problemCount });
  } finally {
    release();
  }
  meter.begin('cleaning');
  const { dropped, damaged } = await dropOldBackups(place, options.keepMs, throwIfEnded);
  report.backupsDropped = dropped;
  const others = options.verify ? await findDamagedParts(place) : [];
  addDamage(report, [...damaged, ...others]);
  report.seconds = (performance.now() - startMs) / 1000;
  return report;
}

/** Each damaged blob once. A damaged backup is no problem of this one, but whoever makes this one must know. */
function addDamage(report: BackupReport, found: readonly DamagedBackup[]): void {
  for (const damage of new Map(found.map((one) => [one.id, one])).values()) {
    const problem = `${damageText(damage)}; as long as it is here, nothing is deleted`;
    addProblem(report, 'the place of backups', damage.id, problem);
  }
}

async function writeRows(run: Run, frozen: FrozenRows) {
  const { place, report } = run;
  const list = createBlobList();
  const part = await writePart(place, encodeRows(rowsOf(run, frozen, list)));
  return { rows: { ...part, count: report.rows }, list };
}

async function* rowsOf(
  { meter, report, throwIfEnded, throttle = noThrottle }: Run,
  frozen: FrozenRows,
  list: BlobList,
): AsyncGenerator<SpacedRow> {
  for await (const space of frozen.spaces('')) {
    if (!isCopied(space)) continue;
    for await (const batch of copiedBatches(frozen, space)) {
      throwIfEnded();
      await throttle();
      for (const row of batch) {
        report.rows++;
        meter.row();
        const pieces = await neededOrProblem(frozen, space, row);
        if (typeof pieces === 'string') addProblem(report, space, row.key, pieces);
        else for (const piece of pieces) list.add(piece);
        yield { space, row };
      }
    }
  }
}

async function copyBlobs(run: Run, list: BlobList, { whole, present, damaged }: Holdings): Promise<void> {
  const { place, copier, meter, report, blobsAtOnce } = run;
  const done = idSetFor(list.count);
  meter.begin('copying', list.blobBytes);

  async function copy(piece: Piece): Promise<void> {
    run.throwIfEnded();
    if (done.has(piece.id)) return;
    done.add(piece.id);
    report.blobs++;
    report.blobBytes += piece.sizeBytes;
    if (whole.has(piece.id)) {
      meter.passed(piece.sizeBytes);
      return;
    }
    try {
      if (present.has(piece.id)) {
        if (damaged.length > 0) return await keepOrMend(run, piece);
        // A run that did not complete may have left a part of it.
        await place.delete([piece.id]);
      }
      await copier.copy(piece);
      report.blobsCopied++;
      report.bytesCopied += piece.sizeBytes;
      meter.blob();
    } catch (cause) {
      if (!(cause instanceof WrongBytes || cause instanceof BlobMissing)) throw cause;
      addProblem(report, 'blobs', piece.id, cause.message);
    }
  }

  for await (const _ of mapInOrder(list.pieces(), blobsAtOnce, copy));
}

/** Reads every blob of the backup. One that is wrong is copied again, for the earlier backups that name it, too. */
async function verifyBlobs(run: Run, list: BlobList): Promise<void> {
  const { copier, meter, report, blobsAtOnce } = run;
  meter.begin('verifying', list.blobBytes);
  for await (const _ of mapInOrder(list.pieces(), blobsAtOnce, async (piece) => {
    const problem = await copier.wrong(piece);
    report.blobsVerified++;
    meter.passed(piece.sizeBytes);
    if (problem === undefined || (await mend(run, piece))) return;
    addProblem(report, 'the backup', piece.id, problem);
  }));
}

/** A damaged backup may name the blob, and the source may no longer have it whole. */
async function keepOrMend(run: Run, piece: Piece): Promise<void> {
  const problem = await run.copier.wrong(piece);
  if (problem === undefined) run.meter.passed(piece.sizeBytes);
  else if (!(await mend(run, piece))) addProblem(run.report, 'blobs', piece.id, problem);
}

/** Replaces a blob of the backup, unless the source has no better one: wrong bytes may be of more use than none. */
async function mend({ place, copier, report }: Run, piece: Piece): Promise<boolean> {
  if ((await copier.wrongAtSource(piece)) !== undefined) return false;
  await place.delete([piece.id]);
  await copier.copy(piece);
  report.blobsMended++;
  return true;
}

async function writePart(
  place: BlobStore,
  chunks: AsyncIterable<Buffer> | Iterable<Buffer>,
): Promise<BackupPart> {
  const id = randomId();
  const { sizeBytes, crc32 } = await place.write(id, chunks);
  return { id, sizeBytes, crc32 };
}
