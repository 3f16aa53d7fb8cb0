import { mapInOrder } from '../../lib/map-in-order.js';
import { createSemaphore } from '../../lib/semaphore.js';
import type { ProjectAddress } from '../api/address.js';
import { Refused } from '../api/request.js';
import { digestOf } from '../digest.js';
import { type Entry, manifestPath } from '../layout/manifest.js';
import { createProgressCounter, type TransferProgress } from '../progress.js';
import type { Selection } from '../selection.js';
import { importBase } from './import-base.js';
import { createFileImport, otherChecksum } from './import-file.js';
import type { ImportRun } from './import-run.js';
import { readManifest } from './read-manifest.js';
import { type ImportReport, newReport, putAside } from './report.js';
import { BrokenFile, type ImportSource, type SourceFile } from './source.js';

export interface ImportOptions {
  readonly address: ProjectAddress;
  readonly source: ImportSource;
  readonly selection: Selection;
  /** Whether items and files that exist stay as they are. */
  readonly onlyNew: boolean;
  /** Whether files are imported although `basedrive.json` has another checksum. */
  readonly acceptChanges: boolean;
  readonly listen: (progress: TransferProgress) => void;
}

/** What a file of the source is. */
type Meaning =
  | { readonly kind: 'base'; readonly base: string }
  | { readonly kind: 'file'; readonly drive: string; readonly name: string };

const filesAtOnce = 4;

/**
 * Stores what an export holds in a project (docs/moving-in.md#export-and-import). It can be run again: what is there
 * already is left as it is. What cannot be imported is set aside and named in the report. Throws `OperatorError` if the
 * server cannot be reached, or refuses the key.
 */
export async function importProject(options: ImportOptions): Promise<ImportReport> {
  const { address, source, onlyNew } = options;
  const report = newReport(address.project);
  const progress = createProgressCounter(options.listen);
  const run: ImportRun = { address, onlyNew, progress, report, setAside: (entry) => putAside(report, entry) };
  const entries = await readManifest(source, run.setAside);
  progress.totalBytes = await totalBytes(options, entries);
  const importOne = createImport(run, options, entries);
  for await (const _ of mapInOrder(source.files(), filesAtOnce, importOne));
  for (const entry of source.setAside) {
    entries.delete(entry.path);
    run.setAside(entry);
  }
  for (const [path, entry] of entries) {
    const meaning = meaningOf(path, entry);
    if (meaning !== undefined && isSelected(options.selection, meaning)) {
      run.setAside({ path, problem: `is missing: ${manifestPath} lists it` });
    }
  }
  report.seconds = progress.seconds();
  return report;
}

function createImport(
  run: ImportRun,
  { selection, acceptChanges }: ImportOptions,
  entries: Map<string, Entry>,
): (source: SourceFile) => Promise<void> {
  const { report } = run;
  const importFile = createFileImport(run);
  /** Two files of one base are stored one after the other. */
  const oneBaseAtATime = createSemaphore(() => 1);

  return async (source) => {
    const { path, size } = source;
    if (path === manifestPath) return;
    const found = entries.get(path);
    entries.delete(path);
    const meaning = meaningOf(path, found, source.base);
    if (meaning === undefined) report.ignored++;
    if (meaning === undefined || !isSelected(selection, meaning)) return;
    const sha256 = acceptChanges ? undefined : found?.sha256;
    try {
      if (meaning.kind === 'base') {
        await oneBaseAtATime(async () => {
          await checkWhole(source, sha256);
          await importBase(run, meaning.base, source);
        });
      } else {
        const { drive, name } = meaning;
        const entry = found !== undefined && 'drive' in found ? found : undefined;
        await importFile({ drive, name, source, entry, sha256 });
      }
      report.bytes += size;
    } catch (cause) {
      const isOfThisFile = cause instanceof BrokenFile || (cause instanceof Refused && cause.isAboutContent);
      if (!isOfThisFile) throw cause;
      run.setAside({ path, problem: cause instanceof Refused ? cause.messages.join('; ') : cause.message });
    }
  };
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
  return meaning.kind === 'base'
    ? bases === undefined || bases.includes(meaning.base)
    : drives === undefined || drives.includes(meaning.drive);
}

async function totalBytes(
  { source, selection }: ImportOptions,
  entries: ReadonlyMap<string, Entry>,
): Promise<number> {
  let bytes = 0;
  for await (const { path, size, base } of source.files()) {
    const meaning = meaningOf(path, entries.get(path), base);
    if (meaning !== undefined && isSelected(selection, meaning)) bytes += size;
  }
  return bytes;
}
