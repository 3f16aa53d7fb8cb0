import { isSystemError } from '../../lib/folder.js';
import { OperatorError } from '../../operator-error.js';
import type { CommandContext, RegisterCommand } from '../command.js';
import { localPath } from '../local-path.js';
import { createTransferLines } from '../output/transfer-progress.js';
import { exportReportText } from '../output/transfer-report.js';
import { repeated } from '../repeated-option.js';
import { untilStopped } from '../stop-signal.js';
import { addProjectOptions, type ProjectOptions, withProject } from '../with-project.js';

/** Failures of the disk that is written to. */
const diskCodes = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES', 'EIO', 'EFBIG']);

interface Given extends ProjectOptions {
  readonly base?: readonly string[];
  readonly drive?: readonly string[];
  readonly json?: boolean;
}

/** `export`: writes a project, or parts of it, to a folder or a zip archive. */
export const exportCommand: RegisterCommand = (context) => {
  const command = context.program
    .command('export')
    .description(
      'write a project to a folder or a zip archive, also while a server runs; an interrupted export to a folder goes' +
        ' on when it is run again',
    )
    .argument('<to>', 'a new or empty folder, or a file that ends in .zip')
    .addOption(repeated('--base <name>', 'export this base only (repeat it for several)'))
    .addOption(repeated('--drive <name>', 'export this drive only (repeat it for several)'))
    .option('--json', 'print JSON')
    .action(async (to: string, given: Given) => {
      const report = await exportTo(context, to, given);
      context.terminal.out(given.json ? JSON.stringify(report) : exportReportText(report, to));
      if (report.leftOutCount > 0) context.exitWithOne();
    });
  addProjectOptions(context, command);
};

async function exportTo(context: CommandContext, to: string, given: Given) {
  const { err: print, show } = context.terminal;
  const { runExport } = await import('#client/archive');
  const path = localPath('to', to);
  const onProgress = createTransferLines({ print, show }, 'Exporting');
  const { base: bases, drive: drives } = given;
  const advice = /\.zip$/i.test(path)
    ? 'nothing is left of the archive; an export to a folder can go on later'
    : 'run the same command again, and the export goes on';
  return await untilStopped(advice, (signal) =>
    withProject(context, { ...given, mustExist: true }, (address) =>
      runExport(address, path, { bases, drives, onProgress, signal }),
    ),
  )
    .catch((cause) => {
      if (!isSystemError(cause) || !diskCodes.has(cause.code ?? '')) throw cause;
      throw new OperatorError(`${path} cannot store the rest of the export: ${cause.message}`, { cause });
    })
    .finally(() => show?.(''));
}
