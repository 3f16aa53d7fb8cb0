import { mapInOrder } from '../../lib/map-in-order.js';
import type { ProjectAddress } from '../api/address.js';
import { filesOf, findFile, namesOf, type RemoteFile, sizesOf } from '../api/project.js';
import { FileChanged, readFileBytes, readItems } from '../api/read.js';
import { arrayOfLines } from '../layout/array-lines.js';
import type { FileEntry } from '../layout/manifest.js';
import { createPathMaker, type PathMaker } from '../layout/paths.js';
import { createProgressCounter, type ProgressCounter, type TransferProgress } from '../progress.js';
import type { Selection } from '../selection.js';
import type { ExportReport } from './report.js';
import type { ExportTarget } from './target.js';

export interface ExportOptions {
  readonly address: ProjectAddress;
  readonly target: ExportTarget;
  readonly selection: Selection;
  readonly listen: (progress: TransferProgress) => void;
}

interface Run {
  readonly address: ProjectAddress;
  readonly target: ExportTarget;
  readonly paths: PathMaker;
  readonly progress: ProgressCounter;
  readonly report: ExportReport;
}

/**
 * Writes the bases and drives of a project to the target (docs/moving-in.md#export-and-import). Each base and each
 * file is as it was at some moment of the export. Throws `OperatorError`; then the target is abandoned.
 */
export async function exportProject(options: ExportOptions): Promise<ExportReport> {
  const { address, target, selection } = options;
  const progress = createProgressCounter(options.listen);
  const empty: string[] = [];
  const { project } = address;
  const report = { project, bases: 0, items: 0, drives: 0, files: 0, bytes: 0, reused: 0, empty, seconds: 0 };
  const run: Run = { address, target, paths: createPathMaker(), progress, report };
  try {
    const bases = await chosen(address, 'bases', selection.bases, empty);
    const drives = await chosen(address, 'drives', selection.drives, empty);
    progress.totalBytes = await totalBytes(address, new Set(bases), new Set(drives));
    for (const base of bases) await exportBase(run, base);
    for (const drive of drives) await exportDrive(run, drive);
    await target.finish();
  } catch (cause) {
    await target.abandon();
    throw cause;
  }
  report.seconds = progress.seconds();
  return report;
}

/** The names to export, in their order: those that exist, and that are selected. */
async function chosen(
  address: ProjectAddress,
  kind: 'bases' | 'drives',
  selected: readonly string[] | undefined,
  empty: string[],
): Promise<string[]> {
  const names: string[] = [];
  for await (const name of namesOf(address, kind)) {
    if (selected === undefined || selected.includes(name)) names.push(name);
  }
  empty.push(...(selected ?? []).filter((name) => !names.includes(name)));
  return names;
}

async function totalBytes(
  address: ProjectAddress,
  bases: ReadonlySet<string>,
  drives: ReadonlySet<string>,
): Promise<number> {
  let bytes = 0;
  for (const name of new Set([...bases, ...drives])) {
    const { base, drive } = await sizesOf(address, name);
    bytes += (bases.has(name) ? base.bytes : 0) + (drives.has(name) ? drive.bytes : 0);
  }
  return bytes;
}

async function exportBase(run: Run, base: string): Promise<void> {
  const { address, target, paths, progress, report } = run;
  const path = paths.base(base);
  let items = 0;
  const array = arrayOfLines(progress.through(readItems(address, base)), (count) => {
    items += count;
    progress.add({ items: count });
  });
  const written = await target.writeBase(path, array);
  await target.addEntry({ base, path, items, ...written });
  report.bases++;
  report.items += items;
  report.bytes += written.size;
}

async function exportDrive(run: Run, drive: string): Promise<void> {
  const { address, target, report } = run;
  const entries = mapInOrder(filesOf(address, drive), target.filesAtOnce, (file) =>
    exportFile(run, drive, file),
  );
  for await (const entry of entries) {
    if (entry === undefined) continue;
    await target.addEntry(entry);
    report.files++;
    report.bytes += entry.size;
  }
  report.drives++;
}

/** Gives undefined if the file was deleted since it was listed. */
async function exportFile(
  { address, target, paths, progress, report }: Run,
  drive: string,
  listed: RemoteFile,
): Promise<FileEntry | undefined> {
  const { name } = listed;
  const path = paths.file(drive, name);
  let found: RemoteFile | undefined = listed;
  while (found !== undefined) {
    const file: RemoteFile = found;
    try {
      const read = (from: number) => progress.through(readFileBytes(address, drive, file, from));
      const { isReused, size, sha256 } = await target.writeFile(path, { file, read });
      progress.add({ files: 1, bytes: isReused ? size : 0 });
      if (isReused) report.reused++;
      const { contentType, expires } = file;
      const entry = { drive, name, path, size, sha256, content_type: contentType };
      return expires === undefined ? entry : { ...entry, expires };
    } catch (cause) {
      if (!(cause instanceof FileChanged)) throw cause;
      found = await findFile(address, drive, name);
    }
  }
  return undefined;
}
