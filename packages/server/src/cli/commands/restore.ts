import type { RestoreReport } from '../../store/backup/restore.js';
import { readPlace, refuseNested } from '../backup-place.js';
import type { CommandContext, RegisterCommand } from '../command.js';
import { backupListText, restoreReportText } from '../output/backup-report.js';
import { createCopyLines } from '../output/copy-progress.js';
import { unlessStopped } from '../stop-signal.js';

interface Given {
  readonly at?: string;
  readonly list?: boolean;
  readonly json?: boolean;
}

const blobsAtOnce = 8;

/** `restore`: makes an empty store what a backup holds. */
export const restoreCommand: RegisterCommand = (context) => {
  const { program, terminal, showSettings, exitWithOne } = context;
  const command = program
    .command('restore')
    .description('make an empty store what a backup holds; exit code 1 if a file of the backup is damaged')
    .argument('<from>', 'the folder, or s3://bucket/prefix, that `backup` was given')
    .option('--at <moment>', 'the moment of the backup, as --list shows it (default: the newest)')
    .option('--list', 'list the backups and restore nothing; exit code 1 if one is damaged')
    .option('--json', 'print JSON')
    .action(async (from: string, given: Given) => {
      if (given.list) return await list(context, from, given.json ?? false);
      const advice = 'delete what it has stored, and run the same command again';
      const report = await unlessStopped(advice, () => restore(context, from, given)).finally(() =>
        terminal.show?.(''),
      );
      terminal.out(given.json ? JSON.stringify(report) : restoreReportText(report));
      if (report.problemCount > 0) exitWithOne();
    });
  showSettings(command, ['dataFolder', 'items', 'blobs']);
};

async function list({ terminal, exitWithOne }: CommandContext, from: string, json: boolean): Promise<void> {
  const { openPlace, requirePlace } = await import('../../store/backup/place.js');
  const { findManifests } = await import('../../store/backup/manifest.js');
  const address = readPlace(from);
  const place = await openPlace(address, terminal.environment, false);
  try {
    const note = await requirePlace(place, address);
    const manifests = await findManifests(place);
    if (note !== undefined) terminal.err(note);
    terminal.out(backupListText(manifests, json));
    if (note !== undefined || manifests.damaged.length > 0) exitWithOne();
  } finally {
    await place.close();
  }
}

async function restore(
  { terminal, storeSettings }: CommandContext,
  from: string,
  { at }: Given,
): Promise<RestoreReport> {
  const { environment, err: print, show } = terminal;
  const settings = storeSettings();
  const { dataFolder, items, blobs } = settings;
  const { openPlace } = await import('../../store/backup/place.js');
  const { readPlaces, withDestination } = await import('../../store/copy/places.js');
  const { chooseBackup, restoreBackup } = await import('../../store/backup/restore.js');
  const address = readPlace(from);
  refuseNested(address, settings);
  const to = readPlaces('--data', [items ?? dataFolder, ...(blobs === undefined ? [] : [blobs])]);
  const listen = createCopyLines({ print, show });
  const place = await openPlace(address, environment, false);
  try {
    // Before the destination is made: a server would start on an empty store.
    const { manifest, notes } = await chooseBackup(place, address, at);
    for (const note of notes) print(note);
    return await withDestination(
      to,
      environment,
      (destination) => restoreBackup({ place, manifest, destination, blobsAtOnce, listen }),
      { flag: '--data' },
    );
  } finally {
    await place.close();
  }
}
