import type { Command } from 'commander';
import type { Terminal } from './terminal.js';

interface Given {
  readonly from?: readonly string[];
  readonly to?: readonly string[];
  readonly overwrite?: boolean;
  readonly verify?: boolean;
  readonly json?: boolean;
}

/** `copy`, as the command line knows it. Its code is loaded when it runs. */
export function addCopyCommand(program: Command, terminal: Terminal, outcome: { exitCode: number }): void {
  program
    .command('copy')
    .description(
      'make another store equal to this one, also while a server runs; again for what changed since; ' +
        'exit code 1 when something could not be copied',
    )
    .option(
      '--from <address...>',
      'a data folder, or where rows and bytes lie: a data folder or postgres://…, then a folder or s3://… [BASEDRIVE_COPY_FROM]',
    )
    .option('--to <address...>', 'likewise; folders are made [BASEDRIVE_COPY_TO]')
    .option('--verify', 'read every file of the copy again, and copy again what is not as it was written')
    .option('--overwrite', 'make the destination equal though it holds something else')
    .option('--json', 'print JSON')
    .action(async (given: Given) => {
      const { copy } = await import('./copy.js');
      const { environment, out: print, err, show } = terminal;
      const { overwrite = false, verify = false, json = false } = given;
      const from = given.from ?? addressesIn(environment.BASEDRIVE_COPY_FROM);
      const to = given.to ?? addressesIn(environment.BASEDRIVE_COPY_TO);
      const status = { print: err, show };
      const isEqual = await copy({ from, to, environment, overwrite, verify, json, print, status });
      if (!isEqual) outcome.exitCode = 1;
    });
}

/** Of a variable: a password on the command line would show in the list of processes. */
function addressesIn(variable = ''): readonly string[] {
  return variable.split(/\s+/).filter((address) => address !== '');
}
