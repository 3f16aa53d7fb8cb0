import { WrongBytes } from '../../drive/contents/checksums.js';
import type { Piece } from '../../drive/rows.js';
import type { BlobStore } from '../../engines/blob-store.js';
import type { Put } from '../../engines/item-store.js';
import { BlobMissing } from '../../engines/storage-errors.js';
import type { Store } from '../../engines/store.js';
import { mapInOrder } from '../../lib/concurrency/map-in-order.js';
import { OperatorError } from '../../operator-error.js';
import { createBlobCopier } from '../copy/copy-blob.js';
import { beginRestore, type Destination } from '../copy/copy-marker.js';
import { type CopyProgress, createMeter } from '../copy/progress.js';
import { folderFormat } from '../data-folder.js';
import { claimBlobs } from '../identity.js';
import { addProblem, noProblems, type Problems } from '../problems.js';
import { idSetFor, readBlobList } from './blob-list.js';
import { partProblem, readPart } from './checked-part.js';
import { damageText, findManifests, type Manifest } from './manifest.js';
import { requirePlace } from './place.js';
import { shownMoment } from './report.js';
import { decodeRows } from './row-stream.js';

export interface RestoreOptions {
  readonly place: BlobStore;
  /** The backup of the place, from `chooseBackup`. */
  readonly manifest: Manifest;
  /** Must be empty. */
  readonly destination: Destination;
  readonly blobsAtOnce: number;
  readonly listen: (progress: CopyProgress) => void;
}

/** What a restore did. A problem is a blob that is damaged or missing in the backup. */
export interface RestoreReport extends Problems {
  readonly moment: string;
  rows: number;
  blobs: number;
  bytes: number;
  seconds: number;
}

const batchRows = 500;
const batchBytes = 1024 * 1024;

/** The backup to restore. */
export interface ChosenBackup {
  readonly manifest: Manifest;
  /** What is wrong with the place, and with other backups in it. */
  readonly notes: readonly string[];
}

/**
 * Finds the backup of a moment, as in the list, or the one that was made last if it is undefined. `shown` is the address of the place.
 * Throws `OperatorError` if there is none, or if it is damaged or of a newer format: an older one must be chosen, it is never
 * taken silently. Its rows and its list are read, so that nothing is begun with damaged ones.
 */
export async function chooseBackup(
  place: BlobStore,
  shown: string,
  at: string | undefined,
): Promise<ChosenBackup> {
  const note = await requirePlace(place, shown);
  const { complete, damaged } = await findManifests(place);
  const isAsked = (momentMs: number | undefined) =>
    at === undefined || (momentMs !== undefined && shownMoment(momentMs) === at);
  const chosen = complete.findLast(({ momentMs }) => isAsked(momentMs));
  const better = damaged.find(
    ({ momentMs }) => isAsked(momentMs) && (momentMs ?? Number.POSITIVE_INFINITY) > (chosen?.momentMs ?? -1),
  );
  if (better !== undefined) {
    const whole = complete.at(-1);
    const advice =
      whole === undefined
        ? 'there is no other one'
        : `to restore another one, choose it with --at: the newest whole one is of ${shownMoment(whole.momentMs)}`;
    throw new OperatorError(`${damageText(better)}; ${advice}`);
  }
  if (chosen !== undefined) {
    refuseNewerFormat(chosen);
    await requireParts(place, chosen);
    return { manifest: chosen, notes: [...(note === undefined ? [] : [note]), ...damaged.map(damageText)] };
  }
  throw new OperatorError(
    complete.length + damaged.length === 0
      ? 'There is no complete backup here: the only ones were interrupted'
      : `There is no backup of ${at}: see --list`,
  );
}

/** An older version would misread the rows, as it would in a data folder (docs/operations.md#upgrade). Throws `OperatorError`. */
function refuseNewerFormat({ momentMs, format = 0 }: Manifest): void {
  if (format <= folderFormat) return;
  throw new OperatorError(
    `The backup of ${shownMoment(momentMs)} has format ${format}, newer than this version reads (${folderFormat}): ` +
      'use a newer version, or choose a backup with --at that was made before the upgrade',
  );
}

/** Throws `OperatorError` if the rows or the list of a backup are not as they were written. */
async function requireParts(place: BlobStore, { momentMs, rows, list }: Manifest): Promise<void> {
  for (const part of [rows, list]) {
    const problem = await partProblem(place, part);
    if (problem !== undefined) throw new OperatorError(damageText({ id: part.id, momentMs, problem }));
  }
}

/**
 * Makes an empty store what the backup holds. Every byte is compared with its checksum. Until it has ended, no server
 * starts on the store. Throws `OperatorError`, `StorageUnavailable`.
 */
export async function restoreBackup(options: RestoreOptions): Promise<RestoreReport> {
  const { place, destination, manifest } = options;
  const startMs = performance.now();
  const moment = shownMoment(manifest.momentMs);
  const report: RestoreReport = {
    moment,
    rows: 0,
    blobs: 0,
    bytes: 0,
    ...noProblems(),
    seconds: 0,
  };
  const end = await beginRestore(destination);
  if ((await claimBlobs(destination.items, destination.blobs)) === undefined) {
    throw new OperatorError(
      'The place of the bytes belongs to another store since this restore began: give an empty one',
    );
  }
  await restoreBlobs(options, report);
  await restoreRows(place, destination, manifest, report);
  if (report.rows !== manifest.rows.count) {
    throw new OperatorError(`The backup is damaged: it has ${report.rows} of ${manifest.rows.count} rows`);
  }
  await end();
  report.seconds = (performance.now() - startMs) / 1000;
  return report;
}

async function restoreBlobs(
  { place, destination, blobsAtOnce, listen, manifest: { list } }: RestoreOptions,
  report: RestoreReport,
): Promise<void> {
  const meter = createMeter(listen);
  const { blobs } = destination;
  const copier = createBlobCopier({
    source: place,
    destination: blobs,
    moved: meter.moved,
    throwIfEnded: () => {},
  });
  const done = idSetFor(list.count);
  meter.begin('copying', list.blobBytes);

  async function restore(piece: Piece): Promise<void> {
    if (done.has(piece.id)) return;
    done.add(piece.id);
    try {
      await copier.copy(piece);
      report.blobs++;
      report.bytes += piece.sizeBytes;
      meter.blob();
    } catch (cause) {
      if (!(cause instanceof WrongBytes || cause instanceof BlobMissing)) throw cause;
      addProblem(report, 'blobs', piece.id, cause.message);
    }
  }

  for await (const _ of mapInOrder(readBlobList(readPart(place, list)), blobsAtOnce, restore));
}

async function restoreRows(
  place: BlobStore,
  { items }: Store,
  { rows }: Manifest,
  report: RestoreReport,
): Promise<void> {
  let current = '';
  let puts: Put[] = [];
  let bytes = 0;
  const write = async () => {
    const batch = puts;
    if (batch.length > 0) await items.transact(current, [], () => ({ puts: batch, result: undefined }));
    report.rows += batch.length;
    puts = [];
    bytes = 0;
  };
  for await (const { space, row } of decodeRows(readPart(place, rows))) {
    if (space !== current || puts.length >= batchRows || bytes >= batchBytes) await write();
    current = space;
    const { key, value, dueSeconds } = row;
    puts.push(dueSeconds === undefined ? { key, value } : { key, value, dueSeconds });
    bytes += value.length;
  }
  await write();
}
