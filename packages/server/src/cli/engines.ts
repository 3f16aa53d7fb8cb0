import { join, resolve } from 'node:path';
import type { Environment, Settings } from '../config.js';
import type { BlobStore } from '../engines/blob-store.js';
import { type DataFolder, type FolderPart, openDataFolder } from '../engines/data-folder.js';
import type { ItemStore } from '../engines/item-store.js';
import { openBlobs, openItems, shownAddress } from '../engines/open.js';
import type { Closers } from './closers.js';

/** The settings that say where everything lies. */
export type Places = Pick<Settings, 'dataFolder' | 'memory' | 'items' | 'blobs' | 'https' | 'tlsCert'>;

export interface OpenEngines {
  readonly items: ItemStore;
  readonly blobs: BlobStore;
  /** Undefined when nothing lies in one. */
  readonly folder: DataFolder | undefined;
}

/** The parts of the data folder that these settings need: a server without any makes no folder. */
export function neededParts(places: Places): readonly FolderPart[] {
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
  const items = await openItems({ url: places.items, folder });
  closers.push(items.close);
  const blobs = await openBlobs({ url: places.blobs, folder, isShared: items.isShared, environment });
  closers.push(blobs.close);
  return { items, blobs, folder };
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
