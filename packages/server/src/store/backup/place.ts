import { readdirSync } from 'node:fs';
import type { Environment } from '../../config/settings.js';
import type { BlobStore } from '../../engines/blob-store.js';
import { isFolderPath, openBlobs, shownAddress } from '../../engines/registry.js';
import { BlobMissing, isBadSector } from '../../engines/storage-errors.js';
import { isSystemError } from '../../lib/folder.js';
import { isRandomId, randomId } from '../../lib/random-id.js';
import { OperatorError } from '../../operator-error.js';
import { identityBlob } from '../identity.js';
import { watchedWrites, writeProblem } from '../watched-writes.js';
import { hasOnly, isManifest, newerVersion, placeVersion } from './manifest.js';
import { sealed, unsealed } from './sealed-json.js';

/**
 * A backup place is a blob store: a folder, or a bucket with a prefix. It holds the blobs of a store under their own
 * ids, each once, and three more blobs for each backup: its rows, the list of its blobs, and the manifest (manifest.ts),
 * which is written last.
 */
const markerBlob = `${'f'.repeat(31)}e`;
const format = 'basedrive-backup';

interface Marker {
  readonly format: typeof format;
  readonly version: number;
  /** The identity of the rows that are backed up here. */
  readonly store: string;
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
  return watchedWrites(place, (cause) => {
    const what = `${shownAddress(address)} cannot store the rest of the backup`;
    return new OperatorError(`${what}: ${writeProblem(cause)}`, { cause });
  });
}

/** Makes an empty place one for backups of this store. Throws `OperatorError` if it holds something else. */
export async function claimPlace(place: BlobStore, store: string, shown: string): Promise<void> {
  const marker = await readMarker(place);
  if (typeof marker === 'object') {
    if (marker.store === store) return;
    throw new OperatorError(`${shownAddress(shown)} holds the backups of another store: give another place`);
  }
  for await (const { id } of place.ids()) {
    if (isOfPlace(id)) continue;
    if (marker === 'damaged') throw new OperatorError(`${markerDamaged(shown)}: give another place`);
    // Whether there are backups would show only in a list of all that is there.
    throw new OperatorError(
      `${holdsOther(shown)}, or has lost the file ${markerBlob}, which says whose they are: give another place`,
    );
  }
  // A server that is given this place by mistake finds that the bytes belong to other rows, and does not start.
  await place.delete([identityBlob, markerBlob]);
  await place.write(identityBlob, [Buffer.from(randomId())]);
  const made: Marker = { format, version: placeVersion, store };
  await place.write(markerBlob, [sealed(made)]);
}

/**
 * Throws `OperatorError` unless the place is one for backups, of a version that this program reads. Gives what is wrong
 * with it, if one can restore from it all the same.
 */
export async function requirePlace(place: BlobStore, shown: string): Promise<string | undefined> {
  const marker = await readMarker(place);
  if (typeof marker === 'object') return undefined;
  let holdsMore = false;
  for await (const { id } of place.ids()) {
    if (isOfPlace(id)) continue;
    if (marker === 'damaged') return markerDamaged(shown);
    if (isManifest(id)) return markerMissing(shown);
    holdsMore = true;
  }
  if (holdsMore) throw new OperatorError(holdsOther(shown));
  throw new OperatorError(`There is no backup in ${shownAddress(shown)}`);
}

/** Whether a blob belongs to the place itself: never to a backup. */
export function isOfPlace(id: string): boolean {
  return id === markerBlob || id === identityBlob;
}

/** Undefined if there is none, or an empty one, which an interrupted run has left. */
async function readMarker(place: BlobStore): Promise<Marker | 'damaged' | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of place.read(markerBlob)) chunks.push(Buffer.from(chunk));
  } catch (cause) {
    if (cause instanceof BlobMissing) return undefined;
    if (isBadSector(cause)) return 'damaged';
    throw cause;
  }
  const bytes = Buffer.concat(chunks);
  if (bytes.length === 0) return undefined;
  const found = unsealed(bytes);
  if (found === undefined) return 'damaged';
  const { value, isSealed } = found;
  if (isSealed && Number(value.version) > placeVersion) throw newerVersion();
  // Earlier versions wrote no checksum.
  const isPlain = value.version === placeVersion && hasOnly(value, ['format', 'version', 'store']);
  const isMarker = value.format === format && isRandomId(String(value.store)) && (isSealed || isPlain);
  return isMarker ? (value as unknown as Marker) : 'damaged';
}

function markerDamaged(shown: string): string {
  return `The file ${markerBlob} in ${shownAddress(shown)}, which says whose backups these are, is damaged`;
}

function markerMissing(shown: string): string {
  return `The file ${markerBlob} in ${shownAddress(shown)}, which says whose backups these are, is missing`;
}

function holdsOther(shown: string): string {
  return `${shownAddress(shown)} holds something other than backups`;
}
