import { OperatorError } from '../../operator-error.js';
import type { CommandContext, RegisterCommand } from '../command.js';
import { localPath } from '../local-path.js';
import { createTransferLines } from '../output/transfer-progress.js';
import { importReportText } from '../output/transfer-report.js';
import { repeated } from '../repeated-option.js';
import { untilStopped } from '../stop-signal.js';
import { addProjectOptions, type ProjectOptions, withProject } from '../with-project.js';

interface Given extends ProjectOptions {
  readonly base?: readonly string[];
  readonly drive?: readonly string[];
  readonly keepExisting?: boolean;
  readonly acceptChanges?: boolean;
  readonly maxRatio: string;
  readonly json?: boolean;
}

/** `import`: stores what an export holds in a project. */
export const importCommand: RegisterCommand = (context) => {
  const command = context.program
    .command('import')
    .description(
      'import an export of this or of the old service; a server may run meanwhile; run it again after an' +
        ' interruption; exit code 1 if something was not imported',
    )
    .argument('<from>', 'a folder, a zip archive, or with --base one file of items')
    .addOption(repeated('--base <name>', 'import this base only (repeat it for several)'))
    .addOption(repeated('--drive <name>', 'import this drive only (repeat it for several)'))
    .option('--keep-existing', 'leave items and files that exist as they are')
    .option('--accept-changes', 'import files that were changed since they were exported')
    .option(
      '--max-ratio <number>',
      'skip files that expand to more than this many times their size in the archive',
      '200',
    )
    .option('--json', 'print JSON')
    .action(async (from: string, given: Given) => {
      const report = await importFrom(context, from, given);
      context.terminal.out(given.json ? JSON.stringify(report) : importReportText(report, from));
      if (report.setAsideCount > 0) context.exitWithOne();
    });
  addProjectOptions(context, command);
};

async function importFrom(context: CommandContext, from: string, given: Given) {
  const { err: print, show } = context.terminal;
  const { base: bases, drive: drives, keepExisting, acceptChanges } = given;
  const { runImport } = await import('#client/archive');
  const maxRatio = Number(given.maxRatio);
  if (!(maxRatio >= 1)) throw new OperatorError('--max-ratio: must be a number of 1 or more');
  const onProgress = createTransferLines({ print, show }, 'Importing');
  const options = { bases, drives, keepExisting, acceptChanges, maxRatio, onProgress };
  const path = localPath('from', from);
  const advice = 'a part of it is stored; run the same command again to store the whole';
  return await untilStopped(advice, (signal) =>
    withProject(context, { ...given, writes: true }, (address) =>
      runImport(address, path, { ...options, signal }),
    ),
  ).finally(() => show?.(''));
}
