import { join, resolve } from 'node:path';
import type { Environment, Settings } from '../config/settings.js';
import type { BlobStore } from '../engines/blob-store.js';
import type { ItemStore } from '../engines/item-store.js';
import { openBlobs, openItems, shownAddress } from '../engines/registry.js';
import { withDeadline } from '../engines/shared/deadline.js';
import { atMost } from '../lib/time-limit.js';
import { OperatorError } from '../operator-error.js';
import type { Closers } from '../server/closers.js';
import { type DataFolder, type FolderPart, openDataFolder } from './data-folder.js';
import { claimBlobs, identityBlob } from './identity.js';

/** Longer than the limits that engines have of their own, shorter than a client's patience. */
const answerWithinMs = 15_000;
const closeWithinMs = 5000;

/** The settings that say where everything lies. */
export type Places = Pick<Settings, 'dataFolder' | 'memory' | 'items' | 'blobs' | 'https' | 'tlsCert'>;

export interface OpenEngines {
  readonly items: ItemStore;
  readonly blobs: BlobStore;
  /** Undefined when nothing lies in one. */
  readonly folder: DataFolder | undefined;
}

/** The parts of the data folder that these settings need: a server without any makes no folder. */
function neededParts(places: Places): readonly FolderPart[] {
  if (places.memory) return [];
  const parts: FolderPart[] = [];
  if (places.items === undefined) parts.push('rows');
  if (places.blobs === undefined) parts.push('blobs');
  if (places.https && places.tlsCert === undefined) parts.push('tls');
  return parts;
}

/** Opens both engines, and the data folder when one is needed; `closers` close them. Throws `OperatorError`. */
export async function openEngines(
  places: Places,
  environment: Environment,
  closers: Closers,
): Promise<OpenEngines> {
  const parts = neededParts(places);
  const folder = parts.length === 0 ? undefined : await openDataFolder(places.dataFolder, parts);
  const opened = await openItems({ url: places.items, folder });
  closers.push(inTime(places.items, opened.close));
  const items = places.items === undefined ? opened : withDeadline(opened, answerWithinMs);
  const blobs = await openBlobs({ url: places.blobs, folder, environment });
  closers.push(inTime(places.blobs, blobs.close));
  const areApart = places.items !== undefined || places.blobs !== undefined;
  if (areApart && !(await claimBlobs(items, blobs))) throw identityMismatch(places);
  return { items, blobs, folder };
}

/** Rows and bytes of different stores: what to do is for the operator to say. */
export function identityMismatch(places: Pick<Places, 'blobs' | 'dataFolder'>): OperatorError {
  const where = places.blobs === undefined ? places.dataFolder : shownAddress(places.blobs);
  return new OperatorError(
    `The bytes in ${where} belong to other rows: look whether --items and --blobs are a pair` +
      ` (if these rows are to have them, remove the blob ${identityBlob})`,
  );
}

/** The end of a server waits for a disk of its own, but not for an engine that is away: what it has is acknowledged. */
export function inTime(url: string | undefined, close: () => Promise<void>): () => Promise<void> {
  return url === undefined ? close : () => atMost(closeWithinMs, close());
}

/** Where everything lies, for people. Never a password. */
export function shownPlaces(places: Places, opened: DataFolder | undefined): string {
  const { dataFolder, items, blobs } = places;
  if (places.memory) return 'in memory and is gone when the server stops';
  const folder = opened?.path ?? resolve(dataFolder);
  if (items === undefined && blobs === undefined) return `in ${folder}`;
  const rows = items === undefined ? join(folder, 'rows') : shownAddress(items);
  const bytes = blobs === undefined ? join(folder, 'blobs') : shownAddress(blobs);
  return `in ${rows} (rows) and ${bytes} (bytes)`;
}
