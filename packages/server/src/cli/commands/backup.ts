import { duration, WrongValue } from '../../config/values.js';
import { OperatorError } from '../../operator-error.js';
import type { BackupReport } from '../../store/backup/report.js';
import { readPlace, refuseNested } from '../backup-place.js';
import type { CommandContext, RegisterCommand } from '../command.js';
import { backupReportText } from '../output/backup-report.js';
import { createBackupLines } from '../output/copy-progress.js';
import { runOnStore, storeSettingNames } from '../run-on-store.js';
import { unlessStopped } from '../stop-signal.js';

interface Given {
  readonly keep?: string;
  readonly verify?: boolean;
  readonly json?: boolean;
}

/** Without a running server, only the disk or the network limits how many blobs can be copied at once. */
const blobsAtOnce = 8;

/** `backup`: rows and bytes as they are at one moment, through the server that has the data folder, if one runs. */
export const backupCommand: RegisterCommand = (context) => {
  const { program, terminal, showSettings, exitWithOne } = context;
  const command = program
    .command('backup')
    .description(
      'back up rows and bytes as they are at one moment, also while a server runs; only new bytes are copied;' +
        ' exit code 1 if a file was damaged',
    )
    .argument('<to>', 'a folder for backups only, or s3://bucket/prefix')
    .option(
      '--keep <duration>',
      'afterwards drop backups that are older than this, such as 7d; never the newest one',
    )
    .option('--verify', 'read every file of the backup again, and copy again what is wrong')
    .option('--json', 'print JSON')
    .action(async (to: string, given: Given) => {
      const advice = 'run the same command again for a complete backup';
      const report = await unlessStopped(advice, () => backUp(context, to, given)).finally(() =>
        terminal.show?.(''),
      );
      terminal.out(given.json ? JSON.stringify(report) : backupReportText(report));
      if (report.problemCount > 0) exitWithOne();
    });
  showSettings(command, storeSettingNames);
};

async function backUp(
  { terminal, storeSettings }: CommandContext,
  to: string,
  given: Given,
): Promise<BackupReport> {
  const { environment, err: print, show } = terminal;
  const settings = storeSettings();
  const input = { to: readPlace(to), keepMs: readKeep(given.keep), verify: given.verify ?? false };
  refuseNested(input.to, settings);
  const listen = createBackupLines({ print, show });
  const { backupThroughServer } = await import('../../server/control/backup-operation.js');
  return await runOnStore<BackupReport>(settings, terminal, {
    viaServer: (folder) => backupThroughServer(folder.path, { ...input, environment }, listen),
    async directly(items) {
      const { takeBackup } = await import('../../store/backup/take-backup.js');
      const { openPlace } = await import('../../store/backup/place.js');
      const { openExistingBlobs } = await import('../../store/open-store.js');
      const blobs = await openExistingBlobs(settings, environment);
      try {
        const place = await openPlace(input.to, environment, true);
        try {
          const source = { items, blobs };
          const holdGarbage = () => () => {};
          return await takeBackup({
            ...input,
            source,
            place,
            shown: input.to,
            holdGarbage,
            blobsAtOnce,
            listen,
          });
        } finally {
          await place.close();
        }
      } finally {
        await blobs.close();
      }
    },
  });
}

function readKeep(given: string | undefined): number | undefined {
  try {
    return given === undefined ? undefined : duration({ minMs: 0, maxMs: Number.MAX_SAFE_INTEGER })([given]);
  } catch (cause) {
    if (!(cause instanceof WrongValue)) throw cause;
    throw new OperatorError(`--keep ${given}: ${cause.message}`);
  }
}
