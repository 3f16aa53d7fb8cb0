import { readdirSync } from 'node:fs';
import type { Environment } from '../../config/settings.js';
import type { BlobStore, StoredBlob } from '../../engines/blob-store.js';
import { isFolderPath, openBlobs, shownAddress } from '../../engines/registry.js';
import { BlobMissing, StorageUnavailable } from '../../engines/storage-errors.js';
import { isSystemError } from '../../lib/folder.js';
import { randomId } from '../../lib/random-id.js';
import { OperatorError } from '../../operator-error.js';
import { identityBlob } from '../identity.js';

/**
 * A backup place is a blob store: a folder, or a bucket with a prefix. It holds the blobs of a store under their own
 * ids, each once, and three more blobs for each backup: its rows, the list of its blobs, and the manifest, which is
 * written last. Manifests have ids that no random id is equal to, so that they are found in a list of all blobs.
 */
const markerBlob = `${'f'.repeat(31)}e`;
const manifestStart = 'f'.repeat(16);
const version = 1;

interface Marker {
  readonly format: 'basedrive-backup';
  readonly version: number;
  /** The identity of the rows that are backed up here. */
  readonly store: string;
}

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
  readonly rows: BackupPart & { readonly count: number };
  readonly list: BackupPart & { readonly count: number; readonly blobBytes: number };
  /** Files whose bytes were damaged or missing at the source: they are not in the backup. */
  readonly problemCount: number;
}

/** A folder or bucket that is used for backups. Throws `OperatorError`. */
export async function openPlace(
  address: string,
  variables: Environment,
  create: boolean,
): Promise<BlobStore> {
  if (isFolderPath(address)) {
    const names = namesIn(address);
    if (!create && names.length === 0) throw new OperatorError(`There is no backup in ${address}`);
    if (names.length > 0 && !names.includes('ff')) {
      throw new OperatorError(`The folder ${address} is not empty and holds no backups`);
    }
  }
  return writable(await openBlobs({ address, variables, create }), address);
}

/** The names in a folder; none if it is not there. Throws `OperatorError`. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (cause) {
    if (!isSystemError(cause)) throw cause;
    if (cause.code === 'ENOENT') return [];
    if (cause.code === 'ENOTDIR')
      throw new OperatorError(`${folder} cannot hold backups: it, or a part of its path, is not a folder`);
    throw new OperatorError(`The folder ${folder} cannot be read: ${cause.message}`, { cause });
  }
}

/** A place that is full or read-only is named: the message of the engine could be about the bytes of the store. */
function writable(place: BlobStore, address: string): BlobStore {
  return {
    ...place,
    async write(id, chunks) {
      let readFailure: unknown;
      async function* watched(): AsyncGenerator<Buffer> {
        try {
          yield* chunks;
        } catch (cause) {
          readFailure = cause;
          throw cause;
        }
      }
      try {
        return await place.write(id, watched());
      } catch (cause) {
        if (!(cause instanceof StorageUnavailable) || cause === readFailure) throw cause;
        const { cause: reason } = cause;
        const why = reason instanceof Error ? reason.message : cause.message;
        throw new OperatorError(`${shownAddress(address)} takes no more of the backup: ${why}`, { cause });
      }
    },
  };
}

/** Makes an empty place one for backups of this store. Throws `OperatorError` if it holds something else. */
export async function claimPlace(place: BlobStore, store: string, shown: string): Promise<void> {
  const marker = await readMarker(place);
  if (marker === undefined) {
    for await (const { id } of place.ids()) {
      if (id !== markerBlob && id !== identityBlob) throw holdsNoBackups(shown);
    }
    // A server that is given this place by mistake finds that the bytes belong to other rows, and does not start.
    await place.delete([identityBlob, markerBlob]);
    await place.write(identityBlob, [Buffer.from(randomId())]);
    await writeJson(place, markerBlob, { format: 'basedrive-backup', version, store } satisfies Marker);
    return;
  }
  if (marker.store !== store) {
    throw new OperatorError(`${shownAddress(shown)} holds the backups of another store: give another place`);
  }
}

/** Throws `OperatorError` unless the place is one for backups, of a version that this program reads. */
export async function requirePlace(place: BlobStore, shown: string): Promise<void> {
  if ((await readMarker(place)) !== undefined) return;
  for await (const { id } of place.ids()) if (!isOfPlace(id)) throw holdsNoBackups(shown);
  throw new OperatorError(`There is no backup in ${shownAddress(shown)}`);
}

/** Whether a blob belongs to the place itself: never to a backup. */
export function isOfPlace(id: string): boolean {
  return id === markerBlob || id === identityBlob;
}

/** The id of the manifest of a backup. */
export function manifestId(momentMs: number): string {
  return `${manifestStart}${momentMs.toString(16).padStart(14, '0')}00`;
}

/** Whether a blob is the manifest of a backup, complete or not. */
export function isManifest(id: string): boolean {
  return id.startsWith(manifestStart) && id.endsWith('00');
}

export async function writeManifest(place: BlobStore, manifest: Manifest): Promise<void> {
  await writeJson(place, manifestId(manifest.momentMs), { version, ...manifest });
}

/** The complete backups among these blobs, the oldest first. A manifest that was not written to its end is none. */
export async function readManifests(place: BlobStore, stored: readonly StoredBlob[]): Promise<Manifest[]> {
  const manifests: Manifest[] = [];
  for (const { id, sizeBytes } of stored.filter((blob) => isManifest(blob.id))) {
    const manifest = await readJson<Manifest>(place, id, sizeBytes);
    if (manifest !== undefined) manifests.push(manifest);
  }
  return manifests.sort((a, b) => a.momentMs - b.momentMs);
}

/** The manifests among all blobs of a place. */
export async function findManifests(place: BlobStore): Promise<Manifest[]> {
  const stored: StoredBlob[] = [];
  for await (const blob of place.ids()) if (isManifest(blob.id)) stored.push(blob);
  return await readManifests(place, stored);
}

async function readMarker(place: BlobStore): Promise<Marker | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of place.read(markerBlob)) chunks.push(Buffer.from(chunk));
  } catch (cause) {
    if (cause instanceof BlobMissing) return undefined;
    throw cause;
  }
  const marker = parsed<Marker>(Buffer.concat(chunks));
  if (marker !== undefined && marker.version > version) {
    throw new OperatorError('A newer version wrote these backups: use that version');
  }
  return marker;
}

async function writeJson(place: BlobStore, id: string, value: object): Promise<void> {
  await place.delete([id]);
  await place.write(id, [Buffer.from(JSON.stringify(value))]);
}

async function readJson<T>(place: BlobStore, id: string, sizeBytes: number): Promise<T | undefined> {
  return parsed<T>(await place.readWhole(id, sizeBytes));
}

function parsed<T>(bytes: Buffer): T | undefined {
  try {
    return JSON.parse(bytes.toString()) as T;
  } catch {
    return undefined;
  }
}

function holdsNoBackups(shown: string): OperatorError {
  return new OperatorError(`${shownAddress(shown)} holds something else than backups`);
}
