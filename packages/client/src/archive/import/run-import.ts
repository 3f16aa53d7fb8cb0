import { openDrive } from '../../drive/open-drive.js';
import { openDeadline } from '../../http/deadline.js';
import { BasedriveError, invalid } from '../../http/error.js';
import { endpointOf, type ProjectAddress, withServer } from '../api/address.js';
import type { Gap } from '../api/around-damage.js';
import { ownKey } from '../api/project.js';
import { digestOf } from '../digest.js';
import {
  type Entry,
  entryProblem,
  type FileEntry,
  gapText,
  type KeptDrive,
  manifestPath,
} from '../layout/manifest.js';
import { mapInOrder } from '../map-in-order.js';
import type { ArchiveImportOptions } from '../options.js';
import { type Selection, selectionOf } from '../options.js';
import { createProgressCounter } from '../progress.js';
import { createSemaphore } from '../semaphore.js';
import { declareIndexes } from './declare-indexes.js';
import { importBase } from './import-base.js';
import { createFileImport, otherChecksum } from './import-file.js';
import type { ImportRun } from './import-run.js';
import { openSource } from './open-source.js';
import { checkManifest, driveGaps, keptDrives, readManifest } from './read-manifest.js';
import { type ImportReport, newReport, putAside, type SetAside } from './report.js';
import { BrokenFile, type ImportSource, type SourceFile } from './source.js';

/** What a file of the source is. */
type Meaning =
  | { readonly kind: 'base'; readonly base: string }
  | { readonly kind: 'file'; readonly drive: string; readonly name: string };

const filesAtOnce = 4;

/**
 * Stores what a folder, an archive or a file of items holds in a project (docs/moving-in.md#export-and-import). It can be
 * run again: items are stored again, and files that are there already, with the same bytes and details, are not. With
 * `keepExisting`, nothing is replaced. What cannot be imported is set aside and named in the report. Throws a `BasedriveError`.
 */
export async function runImport(
  unbounded: ProjectAddress,
  from: string,
  options: ArchiveImportOptions = {},
): Promise<ImportReport> {
  const { keepExisting: onlyNew = false, acceptChanges = false, maxRatio = 200 } = options;
  if (!(maxRatio >= 1)) throw invalid('maxRatio: must be a number of 1 or more');
  const selection = selectionOf(options);
  const deadline = openDeadline(options);
  const { signal } = deadline;
  try {
    const address = { ...unbounded, signal };
    const report = newReport(address.project);
    const progress = createProgressCounter(options.onProgress, signal);
    const setAside = (entry: SetAside) => putAside(report, entry);
    const source = await openSource(from, { selection, maxRatio });
    try {
      const aheadMs = await requireWriting(address);
      const nowMs = () => Date.now() + aheadMs;
      const run = { address, nowMs, onlyNew, acceptChanges, selection, progress, report, setAside };
      await importAll(run, source);
    } finally {
      await source.close();
    }
    progress.end();
    report.seconds = progress.seconds();
    return report;
  } catch (cause) {
    throw deadline.error() ?? withServer(unbounded, cause);
  } finally {
    deadline.close();
  }
}

/** A key that may write nothing would have everything set aside. Gives by how much the clock of the server is ahead. */
async function requireWriting(address: ProjectAddress): Promise<number> {
  const { access, aheadMs } = await ownKey(address);
  if (access === 'read') {
    throw new BasedriveError('forbidden', `${address.shown}: the key may only read, and an import writes`);
  }
  return aheadMs;
}

async function importAll(run: ImportRun, source: ImportSource): Promise<void> {
  const { address, selection, progress, setAside } = run;
  if (!run.acceptChanges) await checkManifest(source);
  const entries = await readManifest(source, setAside);
  const { absent, ...total } = await survey(run, source, entries);
  progress.total = total;
  const hasManifest = (await source.find(manifestPath)) !== undefined;
  const importOne = createImport(run, entries, hasManifest);
  const files = mapInOrder(source.files(), filesAtOnce, (file) => importOne(until(address.signal, file)));
  for await (const _ of files);
  for (const entry of source.setAside) {
    entries.delete(entry.path);
    setAside(entry);
  }
  for (const [path, entry] of entries) {
    const meaning = meaningOf(path, entry);
    if (meaning !== undefined && isSelected(selection, meaning)) {
      setAside({ path, problem: isDamaged(entry) ? wasDamaged : `is missing: ${manifestPath} lists it` });
    }
  }
  for (const kept of await keptDrives(source)) {
    const { drive } = kept;
    if (selection.drives?.includes(drive) ?? true) {
      await keepDrive(run, kept);
      absent.delete(`drives/${drive}`);
    }
  }
  for (const gap of await driveGaps(source)) {
    if (selection.drives?.includes(gap.drive) ?? true)
      setAside({ path: `drives/${gap.drive}`, problem: gapProblem('files', gap) });
  }
  for (const path of absent) setAside({ path, problem: 'there is nothing of this name to import' });
}

/** The file, which cannot be read any more when the signal is aborted. */
function until(signal: AbortSignal | undefined, file: SourceFile): SourceFile {
  return {
    ...file,
    async *open() {
      for await (const chunk of file.open()) {
        signal?.throwIfAborted();
        yield chunk;
      }
    },
  };
}

/** Makes a drive that exists also while it is empty. One that does stays where it is. */
async function keepDrive({ address, setAside }: ImportRun, { drive, location }: KeptDrive): Promise<void> {
  const opened = openDrive(endpointOf(address, drive));
  const options = { signal: address.signal };
  try {
    if ((await opened.settings(options)).kept) return;
    await opened.changeSettings({ kept: true, ...(location !== undefined && { location }) }, options);
  } catch (cause) {
    if (!isOfOneFile(cause)) throw cause;
    setAside({ path: `drives/${drive}`, problem: cause.message });
  }
}

function createImport(
  run: ImportRun,
  entries: Map<string, Entry>,
  hasManifest: boolean,
): (source: SourceFile) => Promise<void> {
  const { report, selection, acceptChanges } = run;
  const importFile = createFileImport(run);
  /** Two files of one base are stored one after the other. */
  const oneBaseAtATime = createSemaphore(1);

  return async (source) => {
    const { path, size } = source;
    if (path === manifestPath) return;
    const found = entries.get(path);
    entries.delete(path);
    const meaning = meaningOf(path, found, source.base);
    if (meaning === undefined) report.ignored++;
    if (meaning === undefined || !isSelected(selection, meaning)) return;
    if (!hasManifest && source.base === undefined) report.fromPaths = true;
    const problem = found === undefined ? undefined : entryProblem(found);
    if (problem !== undefined) return run.setAside({ path, problem: `${manifestPath}: ${problem}` });
    // A good copy may have been put in its place; the first bytes of it that an archive has are none.
    if (isDamaged(found) && !(acceptChanges && size === found.size))
      return run.setAside({ path, problem: wasDamaged });
    const sha256 = acceptChanges ? undefined : found?.sha256;
    try {
      if (meaning.kind === 'base') {
        await oneBaseAtATime(async () => {
          await checkWhole(source, sha256);
          const entry =
            found !== undefined && 'base' in found ? found : { base: meaning.base, path, gaps: [] };
          const untilReady = await declareIndexes(run, entry);
          await importBase(run, meaning.base, source);
          await untilReady();
          for (const gap of entry.gaps ?? []) run.setAside({ path, problem: gapProblem('items', gap) });
        });
      } else {
        const { drive, name } = meaning;
        const entry = found !== undefined && 'drive' in found ? found : undefined;
        await importFile({ drive, name, source, entry, sha256 });
      }
      report.bytes += size;
    } catch (cause) {
      if (!(cause instanceof BrokenFile || isOfOneFile(cause))) throw cause;
      run.setAside({ path, problem: cause.message });
    }
  };
}

const wasDamaged = 'was damaged in the store that was exported: it is not in the export';

/** Whether the export does not have the bytes of a file, because they were damaged. */
function isDamaged(entry: Entry | undefined): entry is FileEntry {
  return entry !== undefined && 'damaged' in entry && entry.damaged === true;
}

function gapProblem(what: 'items' | 'files', gap: Gap): string {
  return `is not whole: in the store that was exported, ${what}${gapText(gap)} were damaged`;
}

/** Whether the file breaks a rule of what is stored, or is beyond the scope of the key: others may go in. */
function isOfOneFile(cause: unknown): cause is BasedriveError {
  if (!(cause instanceof BasedriveError)) return false;
  return cause.code === 'invalid' || [400, 403, 409, 413, 414, 415, 431].includes(cause.status);
}

/** Reads a file of items once before any of them is stored: a damaged file is set aside as a whole. */
async function checkWhole(source: SourceFile, sha256: string | undefined): Promise<void> {
  if (sha256 === undefined && !source.isChecked) return;
  const found = await digestOf(source.open());
  if (sha256 !== undefined && found.sha256 !== sha256) throw new BrokenFile(otherChecksum);
}

/** What a path stands for: what `basedrive.json` says, or else what the layout says. Undefined for neither. */
function meaningOf(path: string, entry: Entry | undefined, of?: string): Meaning | undefined {
  if (of !== undefined) return { kind: 'base', base: of };
  if (entry !== undefined) {
    return 'base' in entry
      ? { kind: 'base', base: entry.base }
      : { kind: 'file', drive: entry.drive, name: entry.name };
  }
  const [, base] = /^bases\/([^/]+)\.(?:json|ndjson|jsonl)$/s.exec(path) ?? [];
  if (base !== undefined) return { kind: 'base', base };
  const [, drive, name] = /^drives\/([^/]+)\/(.+)$/s.exec(path) ?? [];
  return drive === undefined || name === undefined ? undefined : { kind: 'file', drive, name };
}

function isSelected({ bases, drives }: Selection, meaning: Meaning): boolean {
  return (meaning.kind === 'base' ? bases?.includes(meaning.base) : drives?.includes(meaning.drive)) ?? true;
}

/** How many bytes are to be imported, and which of the selected bases and drives the source does not have. */
async function survey(
  { selection }: ImportRun,
  source: ImportSource,
  entries: ReadonlyMap<string, Entry>,
): Promise<{ readonly bytes: number; readonly files: number; readonly absent: Set<string> }> {
  const { bases = [], drives = [] } = selection;
  const absent = new Set([
    ...bases.map((name) => `bases/${name}`),
    ...drives.map((name) => `drives/${name}`),
  ]);
  let [bytes, files] = [0, 0];
  const note = (path: string, size: number, base?: string) => {
    const meaning = meaningOf(path, entries.get(path), base);
    if (meaning === undefined || !isSelected(selection, meaning)) return;
    absent.delete(meaning.kind === 'base' ? `bases/${meaning.base}` : `drives/${meaning.drive}`);
    bytes += size;
    return meaning.kind;
  };
  for await (const { path, size, base } of source.files()) if (note(path, size, base) === 'file') files++;
  for (const { path } of source.setAside) note(path, 0);
  for (const path of entries.keys()) note(path, 0);
  return { bytes, files, absent };
}
