import { invalid } from '../http/error.js';
import type { ExportProjectOptions, ImportProjectOptions } from './options.js';

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
export function checkCall(
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
