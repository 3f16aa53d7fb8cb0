import assert from 'node:assert/strict';
import type { BackupReport } from '../../src/store/backup/report.js';
import type { RestoreReport } from '../../src/store/backup/restore.js';
import { run } from './run-cli.js';

/** Backs up a data folder with the real command. */
export async function backup(
  folder: string,
  to: string,
  options: readonly string[] = [],
): Promise<BackupReport> {
  const { code, out, err } = await run(['backup', to, '--data', folder, '--json', ...options]);
  assert.equal(code, 0, out + err);
  return JSON.parse(out) as BackupReport;
}

/** Restores a backup to a data folder with the real command. */
export async function restore(
  from: string,
  to: string,
  options: readonly string[] = [],
): Promise<RestoreReport> {
  const { code, out, err } = await run(['restore', from, '--data', to, '--json', ...options]);
  assert.equal(code, 0, out + err);
  return JSON.parse(out) as RestoreReport;
}

/** The moments of the complete backups of a place, the oldest first. */
export async function momentsIn(place: string): Promise<string[]> {
  const { out } = await run(['restore', place, '--list', '--json']);
  return (JSON.parse(out) as { moment: string }[]).map(({ moment }) => moment);
}
