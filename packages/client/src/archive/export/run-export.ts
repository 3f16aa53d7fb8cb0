import { openBase } from '../../base/open-base.js';
import type { DriveSettings } from '../../drive/drive.js';
import { openDrive } from '../../drive/open-drive.js';
import { openDeadline } from '../../http/deadline.js';
import { BasedriveError } from '../../http/error.js';
import type { OwnKeyResponse, StatsResponse } from '../../http-types.js';
import { catalogNames, readStats } from '../../project/catalog.js';
import { endpointOf, type ProjectAddress, withServer } from '../api/address.js';
import { type Gap, isDamage } from '../api/around-damage.js';
import { absence, findFile, ownKey, type RemoteFile } from '../api/project.js';
import { FileChanged, readFileBytes, readFileParts, readFiles, readItems } from '../api/read.js';
import { arrayOfLines } from '../layout/array-lines.js';
import {
  type DriveGap,
  type FileEntry,
  gapText,
  type IndexEntry,
  type KeptDrive,
} from '../layout/manifest.js';
import { createPathMaker, type PathMaker } from '../layout/paths.js';
import { mapInOrder } from '../map-in-order.js';
import { type ArchiveOptions, type Selection, selectionOf } from '../options.js';
import { createProgressCounter, type ProgressCounter } from '../progress.js';
import type { ExportReport, KeyLimits, LeftOut } from './report.js';
import type { ExportTarget } from './target.js';

type Writable<T> = { -readonly [name in keyof T]: T[name] };

/** How much of what is not in the export the report lists. */
const maxListed = 1000;

interface Run {
  readonly address: ProjectAddress;
  readonly target: ExportTarget;
  readonly paths: PathMaker;
  readonly progress: ProgressCounter;
  readonly kept: KeptDrive[];
  readonly gaps: DriveGap[];
  readonly report: Omit<Writable<ExportReport>, 'leftOut'> & { readonly leftOut: LeftOut[] };
}

/**
 * Writes the bases and drives of a project to a folder, or to an archive if the path ends in `.zip`
 * (docs/moving-in.md#export-and-import). Each item and each file is as it was at some moment of the export. Throws a
 * `BasedriveError`, or the error of the file system that takes no more.
 */
export async function runExport(
  unbounded: ProjectAddress,
  to: string,
  options: ArchiveOptions = {},
): Promise<ExportReport> {
  const deadline = openDeadline(options);
  const { signal } = deadline;
  try {
    const address = { ...unbounded, signal };
    const limitedTo = limitsOf(await ownKey(address));
    const progress = createProgressCounter(options.onProgress, signal);
    const target = await openTarget(to, address.project);
    try {
      const report = await exportAll({ address, target, progress, selection: selectionOf(options) });
      return { ...report, ...(limitedTo && { limitedTo }) };
    } catch (cause) {
      // The caller gets the first failure, not those that it caused.
      await target.abandon().catch(() => {});
      throw cause;
    }
  } catch (cause) {
    throw deadline.error() ?? withServer(unbounded, cause);
  } finally {
    deadline.close();
  }
}

/** The modules for archives are loaded only for an archive. */
async function openTarget(to: string, project: string): Promise<ExportTarget> {
  if (/\.zip$/i.test(to)) return await (await import('./zip-target.js')).openZipTarget(to);
  return await (await import('./folder-target.js')).openFolderTarget(to, project);
}

function limitsOf({ bases, drives, prefix }: OwnKeyResponse): KeyLimits | undefined {
  const limits = { ...(bases && { bases }), ...(drives && { drives }), ...(prefix && { prefix }) };
  return Object.keys(limits).length === 0 ? undefined : limits;
}

async function exportAll({
  address,
  target,
  progress,
  selection,
}: Pick<Run, 'address' | 'target' | 'progress'> & { readonly selection: Selection }): Promise<ExportReport> {
  const bases = await choose(address, 'bases', selection.bases);
  const drives = await choose(address, 'drives', selection.drives);
  const { project } = address;
  const report: Run['report'] = {
    project,
    bases: 0,
    items: 0,
    drives: 0,
    files: 0,
    bytes: 0,
    reused: 0,
    leftOut: [],
    leftOutCount: 0,
    seconds: 0,
  };
  const run: Run = { address, target, paths: createPathMaker(), progress, kept: [], gaps: [], report };
  for (const [base, problem] of bases.absent) leaveOut(run, { base, problem });
  for (const [drive, problem] of drives.absent) leaveOut(run, { drive, problem });
  progress.total = await totalOf(address, new Set(bases.names), new Set(drives.names));
  for (const base of bases.names) await exportBase(run, base);
  for (const drive of drives.names) await exportDrive(run, drive);
  await target.finish(run);
  progress.end();
  report.seconds = progress.seconds();
  return report;
}

/** The names to export, in their order: those that exist, and that are selected. And why others are absent. */
async function choose(
  address: ProjectAddress,
  kind: 'bases' | 'drives',
  selected: readonly string[] | undefined,
): Promise<{ readonly names: readonly string[]; readonly absent: readonly (readonly [string, string])[] }> {
  const names: string[] = [];
  try {
    for await (const name of catalogNames(address.endpoint, kind, { signal: address.signal })) {
      if (selected === undefined || selected.includes(name)) names.push(name);
    }
  } catch (cause) {
    if (!isDamage(cause)) throw cause;
    // What is named can be read without the list.
    if (selected !== undefined) return { names: [...new Set(selected)].sort(), absent: [] };
    const advice = `the list of ${kind} cannot be read: name those to export (--base, --drive; bases, drives)`;
    throw new BasedriveError(cause.code, `${cause.message}: ${advice}`, cause);
  }
  const absent: (readonly [string, string])[] = [];
  for (const name of selected ?? []) {
    if (!names.includes(name)) absent.push([name, await absence(address, kind, name)]);
  }
  return { names, absent };
}

async function totalOf(
  address: ProjectAddress,
  bases: ReadonlySet<string>,
  drives: ReadonlySet<string>,
): Promise<ProgressCounter['total']> {
  let bytes = 0;
  let files: number | undefined = 0;
  for (const name of new Set([...bases, ...drives])) {
    const stats = readStats(endpointOf(address, name), { signal: address.signal });
    const { base, drive } = await unlessDamaged<Partial<StatsResponse>>(stats, {}, () => {});
    bytes += ((bases.has(name) && base?.bytes) || 0) + ((drives.has(name) && drive?.bytes) || 0);
    if (drives.has(name))
      files = drive?.files === undefined || files === undefined ? undefined : files + drive.files;
  }
  return { bytes, files };
}

async function exportBase(run: Run, base: string): Promise<void> {
  const { address, target, paths, progress, report } = run;
  const path = paths.base(base);
  let items = 0;
  const gaps: Gap[] = [];
  const lines = readItems(address, base, (gap) => {
    gaps.push(gap);
    leaveOut(run, { base, problem: `damaged items${gapText(gap)}` });
  });
  const array = arrayOfLines(progress.through(lines), (count) => {
    items += count;
    progress.add({ items: count });
  });
  const written = await target.writeBase(path, array).catch((cause: unknown) => {
    throw readFailure(`base ${base}`, cause);
  });
  const indexes = await unlessDamaged(indexesOf(run, base), [], () => {
    leaveOut(run, { base, problem: 'its indexes are damaged' });
  });
  await target.addEntry({
    base,
    path,
    items,
    ...written,
    ...(indexes.length > 0 && { indexes }),
    ...(gaps.length > 0 && { gaps }),
  });
  report.bases++;
  report.items += items;
  report.bytes += written.size;
}

/** What is declared, whatever its state. */
async function indexesOf({ address }: Run, base: string): Promise<readonly IndexEntry[]> {
  const { signal } = address;
  const found = await ifTold(openBase(endpointOf(address, base)).indexes({ signal }), []);
  return found.map(({ name, fields, unique, each }) => ({
    name,
    fields,
    ...(unique && { unique }),
    ...(each && { each }),
  }));
}

async function exportDrive(run: Run, drive: string): Promise<void> {
  const { address, target, report } = run;
  const opened = openDrive(endpointOf(address, drive));
  const { signal } = address;
  const known = new Set<string>();
  const files = readFiles(address, drive, (gap) => {
    const problem = `damaged names of files${gapText(gap)}`;
    // The markers of folders are among the names.
    if (known.has(problem)) return;
    known.add(problem);
    leaveOut(run, { drive, problem });
    run.gaps.push({ drive, ...gap });
  });
  const entries = mapInOrder(files, target.filesAtOnce, (file) => exportFile(run, drive, file));
  for await (const exported of entries) {
    if (exported === undefined) continue;
    const { entry, damage } = exported;
    await target.addEntry(entry);
    if (damage !== undefined) {
      leaveOut(run, { drive, name: entry.name, problem: damage });
      continue;
    }
    report.files++;
    report.bytes += entry.size;
  }
  const settings = ifTold<Partial<DriveSettings>>(opened.settings({ signal }), {});
  const { kept, location } = await unlessDamaged(settings, {}, () => {
    leaveOut(run, { drive, problem: 'its settings are damaged' });
  });
  if (kept === true) run.kept.push({ drive, location });
  report.drives++;
}

/** Counts what is not in the export; the report lists it if it is among the first thousand. */
function leaveOut({ report }: Pick<Run, 'report'>, out: LeftOut): void {
  report.leftOutCount++;
  if (report.leftOut.length < maxListed) report.leftOut.push(out);
}

/** The answer, or `otherwise` if what it would say is damaged. */
async function unlessDamaged<T>(asked: Promise<T>, otherwise: T, onDamage: () => void): Promise<T> {
  try {
    return await asked;
  } catch (cause) {
    if (!isDamage(cause)) throw cause;
    onDamage();
    return otherwise;
  }
}

/** The answer, or `otherwise`: a key with a prefix may not ask, and an earlier version does not know the question. */
async function ifTold<T>(asked: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await asked;
  } catch (cause) {
    if (cause instanceof BasedriveError && [403, 404].includes(cause.status)) return otherwise;
    throw cause;
  }
}

/** An error of the service, or of the connection, with what was read. Any other one stays as it is. */
function readFailure(what: string, cause: unknown): unknown {
  if (!(cause instanceof BasedriveError) || !['failed', 'network'].includes(cause.code)) return cause;
  return new BasedriveError(cause.code, `${cause.message} (${what})`, cause);
}

/** `damage` says why a file could not be exported. Gives undefined if it was deleted since it was listed. */
async function exportFile(
  { address, target, paths, progress, report }: Run,
  drive: string,
  listed: RemoteFile,
): Promise<{ readonly entry: FileEntry; readonly damage?: string } | undefined> {
  const { name } = listed;
  const path = paths.file(drive, name);
  let found: RemoteFile | undefined = listed;
  while (found !== undefined) {
    const file: RemoteFile = found;
    // JSON.stringify leaves out members that are undefined.
    const { content_type, expires, metadata, headers, md5, checksum } = file;
    const about = { content_type, expires, metadata, headers, md5, checksum };
    try {
      const read = (from: number) => progress.through(readFileBytes(address, drive, file, from));
      const { isReused, size, sha256 } = await target.writeFile(path, { file, read });
      const parts = await readFileParts(address, drive, file);
      progress.add({ files: 1, bytes: isReused ? size : 0 });
      if (isReused) report.reused++;
      return { entry: { drive, name, path, size, sha256, ...about, parts } };
    } catch (cause) {
      if (isDamage(cause)) {
        const entry = { drive, name, path, size: file.size, sha256: '', ...about, damaged: true } as const;
        return { entry, damage: cause.message };
      }
      if (!(cause instanceof FileChanged)) throw readFailure(`file ${name} of drive ${drive}`, cause);
      found = await findFile(address, drive, name);
    }
  }
  return undefined;
}
