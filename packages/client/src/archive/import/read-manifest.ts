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
import { BrokenFile, type ImportSource, type SourceFile } from './source.js';

/** Throws code `bad_archive` if `basedrive.json` is not as it was written. */
export async function checkManifest(source: ImportSource): Promise<void> {
  const file = await source.find(manifestPath);
  if (file === undefined || (await isIntactManifest(bytesOf(file)))) return;
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
  for await (const { line, text } of elementTexts(bytesOf(file), 'entries')) {
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
  for await (const { text } of elementTexts(bytesOf(file), member)) {
    if (text !== undefined) yield JSON.parse(text.toString());
  }
}

/** The bytes of the manifest. Throws code `bad_archive` if they cannot be read, or have a version that is not known. */
async function* bytesOf(file: SourceFile): AsyncGenerator<Buffer, void, undefined> {
  let isChecked = false;
  try {
    for await (const chunk of file.open()) {
      if (!isChecked) checkVersion(chunk);
      isChecked = true;
      yield chunk;
    }
  } catch (cause) {
    if (!(cause instanceof BrokenFile)) throw cause;
    throw new BasedriveError('bad_archive', `${manifestPath} ${cause.message}`, { cause });
  }
}

function checkVersion(firstChunk: Buffer): void {
  const [, version] = /"version"\s*:\s*(\d+)/.exec(firstChunk.toString('latin1')) ?? [];
  if (version !== undefined && Number(version) <= manifestVersion) return;
  throw new BasedriveError(
    'bad_archive',
    `${manifestPath} has a version that this program does not know: use a newer one`,
  );
}
