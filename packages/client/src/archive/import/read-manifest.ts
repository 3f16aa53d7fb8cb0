import { BasedriveError } from '../../http/error.js';
import {
  type DriveGap,
  type Entry,
  isGap,
  isIntactManifest,
  type KeptDrive,
  manifestPath,
  manifestVersion,
  readEntry,
} from '../layout/manifest.js';
import { elementTexts } from './item-texts.js';
import type { SetAside } from './report.js';
import type { ImportSource, SourceFile } from './source.js';

/** Throws code `bad_archive` if `basedrive.json` is not as it was written. */
export async function checkManifest(source: ImportSource): Promise<void> {
  const file = await source.find(manifestPath);
  if (file === undefined || (await isIntactManifest(checkVersion(file.open())))) return;
  throw new BasedriveError(
    'bad_archive',
    `${manifestPath} has another checksum than it says, or no end: it is damaged, or was changed (then accept that:` +
      ' --accept-changes, acceptChanges)',
  );
}

/** What `basedrive.json` says of each path. Without that file it is empty. */
export async function readManifest(
  source: ImportSource,
  setAside: (entry: SetAside) => void,
): Promise<Map<string, Entry>> {
  const entries = new Map<string, Entry>();
  const file = await source.find(manifestPath);
  if (file === undefined) return entries;
  for await (const { line, text } of elementTexts(checkVersion(file.open()), 'entries')) {
    const entry = text === undefined ? undefined : readEntry(text.toString());
    if (entry === undefined) setAside({ path: manifestPath, line, problem: 'is not an entry of an export' });
    else entries.set(entry.path, entry);
  }
  return entries;
}

/** The drives that exist also while they are empty. Without `basedrive.json` there are none. */
export async function keptDrives(source: ImportSource): Promise<readonly KeptDrive[]> {
  const file = await source.find(manifestPath);
  if (file === undefined) return [];
  const locations = new Map<string, string>();
  for await (const value of elements(file, 'located')) {
    const { drive, location } = (value ?? {}) as Partial<Record<keyof KeptDrive, unknown>>;
    if (typeof drive === 'string' && typeof location === 'string') locations.set(drive, location);
  }
  const kept: KeptDrive[] = [];
  for await (const drive of elements(file, 'kept')) {
    if (typeof drive === 'string') kept.push({ drive, location: locations.get(drive) });
  }
  return kept;
}

/** The names between which an export could not read which files a drive has. */
export async function driveGaps(source: ImportSource): Promise<readonly DriveGap[]> {
  const file = await source.find(manifestPath);
  const gaps: DriveGap[] = [];
  if (file === undefined) return gaps;
  for await (const value of elements(file, 'gaps')) {
    if (isGap(value) && typeof (value as Partial<DriveGap> | null)?.drive === 'string')
      gaps.push(value as DriveGap);
  }
  return gaps;
}

/** The elements of a list of the manifest. */
async function* elements(file: SourceFile, member: string): AsyncGenerator<unknown, void, undefined> {
  for await (const { text } of elementTexts(checkVersion(file.open()), member)) {
    if (text !== undefined) yield JSON.parse(text.toString());
  }
}

async function* checkVersion(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  let isChecked = false;
  for await (const chunk of chunks) {
    if (!isChecked) {
      const [, version] = /"version"\s*:\s*(\d+)/.exec(chunk.toString('latin1')) ?? [];
      if (version === undefined || Number(version) > manifestVersion) {
        throw new BasedriveError(
          'bad_archive',
          `${manifestPath} has a version that this program does not know: use a newer one`,
        );
      }
    }
    isChecked = true;
    yield chunk;
  }
}
