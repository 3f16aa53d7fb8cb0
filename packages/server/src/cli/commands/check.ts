import { resolve } from 'node:path';
import type { Settings } from '../../config/settings.js';
import type { Store } from '../../engines/store.js';
import { openStoredLog } from '../../feed/stored-log.js';
import type { CheckReport } from '../../store/check/report.js';
import { changeStandby } from '../../store/copy/copy-marker.js';
import { orphanAgeSeconds } from '../../store/orphans.js';
import type { CommandContext, RegisterCommand } from '../command.js';
import { checkReportText } from '../output/check-report.js';
import { runOnStore, storeSettingNames, withStore } from '../run-on-store.js';
import { unlessStopped } from '../stop-signal.js';

/** `check`: reads the whole store, through its server if one runs, and prints what is wrong. */
export const checkCommand: RegisterCommand = (context) => {
  const { program, terminal, showSettings, exitWithOne } = context;
  const command = program
    .command('check')
    .description(
      'read the whole store, also while a server runs, and report what is wrong; exit code 1 if something is',
    )
    .option(
      '--repair',
      'move blobs that no row refers to into quarantine, in the data folder; give files that share bytes their own;' +
        ' count anew what is counted wrong',
    )
    .option('--json', 'print JSON')
    .action(async ({ repair = false, json = false }: { repair?: boolean; json?: boolean }) => {
      const advice = 'run the same command again to read the whole store';
      const report = await unlessStopped(advice, () => check(context, repair));
      terminal.out(json ? JSON.stringify(report) : checkReportText(report));
      if (report.problemCount > 0) exitWithOne();
    });
  showSettings(command, storeSettingNames);
};

async function check({ storeSettings, terminal }: CommandContext, repair: boolean): Promise<CheckReport> {
  const settings = storeSettings();
  const { checkThroughServer } = await import('../../server/control/check-operation.js');
  return await runOnStore<CheckReport>(settings, terminal, {
    viaServer: (folder) => checkThroughServer(folder.path, repair),
    directly: (items) =>
      withStore(settings, terminal.environment, items, (store) => checkDirectly(store, settings, repair)),
  });
}

async function checkDirectly(store: Store, settings: Settings, repair: boolean): Promise<CheckReport> {
  const { items } = store;
  // The log of changes notes what is repaired, for those who follow it.
  if (repair) await openStoredLog(items, Date.now, settings.keepChangesMs > 0);
  const { checkAndRepair } = await import('../../store/check/check-store.js');
  const report = await checkAndRepair({
    ...store,
    clock: Date.now,
    // If this process has the rows to itself, no row of a blob can still be written.
    orphanAgeSeconds: items.isShared ? orphanAgeSeconds(settings.requestTimeoutMs) : 0,
    quarantineFolder: repair ? resolve(settings.dataFolder) : undefined,
  });
  if (report.separated > 0) await changeStandby(items);
  return report;
}
