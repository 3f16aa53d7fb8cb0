import type { BlobStore, StoredBlob } from '../../engines/blob-store.js';
import { BlobMissing, isBadSector } from '../../engines/storage-errors.js';
import { isRandomId } from '../../lib/random-id.js';
import { OperatorError } from '../../operator-error.js';
import { entryBytes } from './blob-list.js';
import { shownMoment } from './report.js';
import { sealed, unsealed } from './sealed-json.js';

/** Manifests have ids that no random id is equal to, so that they are found in a list of all blobs. */
const manifestStart = 'f'.repeat(16);
const manifestEnd = '00';
/** The format of a place. */
export const placeVersion = 1;
/** The moment that is latest for a `Date`. */
const maxMomentMs = 8.64e15;

/** A blob that belongs to a backup itself. */
export interface BackupPart {
  readonly id: string;
  readonly sizeBytes: number;
  readonly crc32: number;
}

/** A complete backup. */
export interface Manifest {
  /** The moment of the backup, in milliseconds since 1970 UTC. */
  readonly momentMs: number;
  /**
   * One more than that of the backup before it: the clock may have been set back in between. Those of earlier versions
   * have none, and come first.
   */
  readonly number?: number;
  /** The format of data folders of the version that made it. Those of earlier versions have none. */
  readonly format?: number;
  readonly rows: BackupPart & { readonly count: number };
  readonly list: BackupPart & { readonly count: number; readonly blobBytes: number };
  /** Files whose bytes were damaged or missing at the source: they are not in the backup. */
  readonly problemCount: number;
}

/** A backup that cannot be read, or not completely: it may name any bytes of the place. */
export interface DamagedBackup {
  /** The blob that is damaged. */
  readonly id: string;
  /** The moment of the backup, in milliseconds since 1970 UTC; undefined if even that is unknown. */
  readonly momentMs: number | undefined;
  readonly problem: string;
}

export interface Manifests {
  /** The complete backups in the order in which they were made. */
  readonly complete: readonly Manifest[];
  readonly damaged: readonly DamagedBackup[];
}

export function manifestId(momentMs: number): string {
  return `${manifestStart}${momentMs.toString(16).padStart(14, '0')}${manifestEnd}`;
}

/** Whether a blob is the manifest of a backup, complete or not. */
export function isManifest(id: string): boolean {
  return id.startsWith(manifestStart) && id.endsWith(manifestEnd);
}

export async function writeManifest(place: BlobStore, manifest: Manifest): Promise<void> {
  const id = manifestId(manifest.momentMs);
  await place.delete([id]);
  await place.write(id, [sealed({ version: placeVersion, ...manifest })]);
}

/**
 * The backups whose manifests are among these blobs. An empty manifest does not count: its run was interrupted. Throws
 * `OperatorError` for one of a newer version.
 */
export async function readManifests(place: BlobStore, stored: readonly StoredBlob[]): Promise<Manifests> {
  const complete: Manifest[] = [];
  const damaged: DamagedBackup[] = [];
  for (const blob of stored) {
    if (!isManifest(blob.id) || blob.sizeBytes === 0) continue;
    const bytes = await readOrDamaged(place, blob);
    if (bytes === undefined) continue;
    const manifest = typeof bytes === 'string' ? undefined : manifestIn(blob.id, bytes);
    if (manifest !== undefined) complete.push(manifest);
    else {
      const why = typeof bytes === 'string' ? bytes : 'has other bytes than were written';
      damaged.push({ id: blob.id, momentMs: momentOf(blob.id), problem: `its manifest, ${blob.id}, ${why}` });
    }
  }
  return { complete: complete.sort(inOrder), damaged };
}

function inOrder(a: Manifest, b: Manifest): number {
  return (a.number ?? 0) - (b.number ?? 0) || a.momentMs - b.momentMs;
}

/** The number of the next backup after these. */
export function nextNumber({ complete }: Pick<Manifests, 'complete'>): number {
  return (complete.at(-1)?.number ?? 0) + 1;
}

/** The same of all blobs of a place. */
export async function findManifests(place: BlobStore): Promise<Manifests> {
  const stored: StoredBlob[] = [];
  for await (const blob of place.ids()) if (isManifest(blob.id)) stored.push(blob);
  return await readManifests(place, stored);
}

/** `The backup of 2026-01-01T00:00:00.000Z is damaged: …` */
export function damageText({ momentMs, problem }: DamagedBackup): string {
  const which = momentMs === undefined ? 'A backup' : `The backup of ${shownMoment(momentMs)}`;
  return `${which} is damaged: ${problem}`;
}

/** The bytes; why they cannot be read; undefined if they are gone. */
async function readOrDamaged(
  place: BlobStore,
  { id, sizeBytes }: StoredBlob,
): Promise<Buffer | string | undefined> {
  try {
    return await place.readWhole(id, sizeBytes);
  } catch (cause) {
    if (cause instanceof BlobMissing) return undefined;
    if (isBadSector(cause)) return 'cannot be read from the disk';
    throw cause;
  }
}

function momentOf(id: string): number | undefined {
  const momentMs = Number.parseInt(id.slice(manifestStart.length, -manifestEnd.length), 16);
  return momentMs <= maxMomentMs ? momentMs : undefined;
}

/** Undefined if it is damaged. What earlier versions wrote has no checksum, but has these members and no others. */
function manifestIn(id: string, bytes: Buffer): Manifest | undefined {
  const found = unsealed(bytes);
  if (found === undefined) return undefined;
  const { version, ...value } = found.value;
  if (found.isSealed && Number(version) > placeVersion) throw newerVersion();
  if (!isManifestForm(value) || manifestId(value.momentMs) !== id) return undefined;
  const isPlain = version === placeVersion && hasOnly(value, ['momentMs', 'rows', 'list', 'problemCount']);
  return found.isSealed || isPlain ? value : undefined;
}

export function newerVersion(): OperatorError {
  return new OperatorError('A newer version wrote these backups: use that version');
}

function isManifestForm(value: object): value is Manifest {
  const { momentMs, number = 0, format = 0, rows, list, problemCount } = value as Partial<Manifest>;
  return (
    isCount(momentMs) &&
    isCount(number) &&
    isCount(format) &&
    momentMs <= maxMomentMs &&
    isPart(rows) &&
    isPart(list) &&
    isCount(list.blobBytes) &&
    list.sizeBytes === list.count * entryBytes &&
    isCount(problemCount)
  );
}

function isPart<P extends Manifest['rows']>(part: P | undefined): part is P {
  if (typeof part !== 'object' || part === null || !isRandomId(String(part.id))) return false;
  return isCount(part.sizeBytes) && isCount(part.crc32) && isCount(part.count);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/** Whether an object has these members and no others. */
export function hasOnly(value: object, members: readonly string[]): boolean {
  const names = Object.keys(value);
  return names.length === members.length && members.every((name) => names.includes(name));
}
