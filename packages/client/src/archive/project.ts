import { resolveKey, serviceUrl } from '../http/endpoint.js';
import { invalid } from '../http/error.js';
import { addressOfUrl, type ProjectAddress } from './api/address.js';
import type { ExportReport } from './export/report.js';
import { runExport } from './export/run-export.js';
import type { ImportReport } from './import/report.js';
import { runImport } from './import/run-import.js';
import type { ExportProjectOptions, ImportProjectOptions, ProjectOptions } from './options.js';

/**
 * Exports a project as `basedrive export` does (docs/moving-in.md#export-and-import): to a folder, or to a zip archive if
 * the path ends in `.zip`. Each item and each file is as it was at some moment of the export. After an interruption, run
 * it again: an export to a folder goes on where it was, an archive begins anew. When it resolves, everything is on
 * stable storage. Memory: a few megabytes, and some bytes for each file.
 * @param to a folder that is new or empty, or holds an interrupted export of this project; or a file that does not exist
 * @returns what is in the export, and what was left out
 * @throws a `BasedriveError`: code `conflict` if something would be overwritten or another export writes to the folder,
 *   `invalid` if the path cannot be used; or the error of the file system that takes no more
 * @example const { items, files } = await exportProject('./backup.zip', { onProgress: ({ share }) => console.log(share) });
 */
export async function exportProject(to: string, options: ExportProjectOptions = {}): Promise<ExportReport> {
  checkCall('exportProject', to, options);
  return await withAddress(options, (address) => runExport(address, to, options));
}

/**
 * Imports into a project what an export holds, of Basedrive or of the old service, as `basedrive import` does
 * (docs/moving-in.md#export-and-import). Items and files of the same names are replaced unless `keepExisting` is set;
 * nothing is deleted. After an interruption, run it again.
 * @param from a folder or a zip archive, or a file of items if `bases` names the one base that it is for
 * @returns what was stored, and what was set aside and why
 * @throws a `BasedriveError`: code `bad_archive` if there is nothing to import in `from`, or it is damaged as a whole,
 *   `invalid` if the call is wrong
 * @example const { items, files, setAside } = await importProject('./backup.zip', { keepExisting: true });
 */
export async function importProject(from: string, options: ImportProjectOptions = {}): Promise<ImportReport> {
  checkCall('importProject', from, options);
  return await withAddress(options, (address) => runImport(address, from, options));
}

async function withAddress<T>(
  { key: given, url }: ProjectOptions,
  work: (address: ProjectAddress) => Promise<T>,
): Promise<T> {
  const key = resolveKey(given);
  const address = addressOfUrl(new URL(serviceUrl('Base', url)), key.split('_', 1)[0] as string, key);
  try {
    return await work(address);
  } finally {
    address.close();
  }
}

type Names<Options> = Record<keyof Options, true>;

const exportNames: Names<ExportProjectOptions> = {
  key: true,
  url: true,
  bases: true,
  drives: true,
  onProgress: true,
  signal: true,
  timeoutMs: true,
};
const importNames: Names<ImportProjectOptions> = {
  ...exportNames,
  keepExisting: true,
  acceptChanges: true,
  maxRatio: true,
};

/**
 * Throws code `invalid` for what only a program without types can pass. A misspelled `bases` would transfer the whole
 * project, and a misspelled `keepExisting` would replace what exists.
 */
function checkCall(
  call: 'exportProject' | 'importProject',
  path: unknown,
  options: ExportProjectOptions | ImportProjectOptions,
): void {
  if (typeof path !== 'string' || path === '')
    throw invalid(`${call}: the path must be a text that is not empty`);
  const names = call === 'exportProject' ? exportNames : importNames;
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(names, name));
  if (unknown !== undefined) {
    throw invalid(`${call}: there is no option ${unknown}; it takes ${Object.keys(names).join(', ')}`);
  }
  for (const name of ['bases', 'drives'] as const) {
    const list: unknown = options[name];
    if (list === undefined) continue;
    if (!Array.isArray(list) || !list.every((one) => typeof one === 'string'))
      throw invalid(`${call}: ${name} must be a list of names`);
  }
}
