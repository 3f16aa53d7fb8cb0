import type { Environment } from '../../config/settings.js';
import { copyVariables } from '../../config/variables.js';
import { OperatorError } from '../../operator-error.js';
import type { CopyReport } from '../../store/copy/report.js';
import type { CommandContext, RegisterCommand } from '../command.js';
import { createCopyLines } from '../output/copy-progress.js';
import { copyReportText } from '../output/copy-report.js';
import { runOnStore } from '../run-on-store.js';
import { unlessStopped } from '../stop-signal.js';

type Places = typeof import('../../store/copy/places.js');

interface Given {
  readonly from?: readonly string[];
  readonly to?: readonly string[];
  readonly overwrite?: boolean;
  readonly verify?: boolean;
  readonly follow?: boolean;
  readonly json?: boolean;
}

/** Without a running server, only the disk or the network limits how many blobs can be copied at once. */
const blobsAtOnce = 8;

/**
 * `copy`: makes the destination equal to the source, through the server that has the source's data folder. If none
 * runs, or the rows are shared, the command copies by itself.
 */
export const copyCommand: RegisterCommand = (context) => {
  const { program, terminal, showSettings, exitWithOne } = context;
  const command = program
    .command('copy')
    .description(
      'make another store equal to this one, also while a server runs; run it again for later changes; ' +
        'exit code 1 if something could not be copied',
    )
    .option(
      '--from <address...>',
      'a data folder, or the addresses of rows and bytes: a data folder or postgres://…, then a folder or s3://…' +
        ` [${copyVariables.from}]`,
    )
    .option('--to <address...>', `likewise; missing folders are created [${copyVariables.to}]`)
    .option('--verify', 'read every file of the copy again, and copy what differs again')
    .option('--overwrite', 'make the destination equal even if it holds something else, which is lost')
    .option(
      '--follow',
      'then keep it equal, seconds behind, until the command is ended: a standby; wait for its server when that stops',
    )
    .option('--json', 'print JSON')
    .action(async (given: Given) => {
      if (given.follow) return await follow(context, given);
      const advice = 'run the same command again, and the copy goes on';
      const report = await unlessStopped(advice, () => copy(context, given)).finally(() =>
        terminal.show?.(''),
      );
      terminal.out(given.json ? JSON.stringify(report) : copyReportText(report));
      if (report.problemCount > 0) exitWithOne();
    });
  showSettings(command, ['acceptDamagedRows']);
};

async function copy({ terminal, settings }: CommandContext, given: Given): Promise<CopyReport> {
  const { environment, err: print, show } = terminal;
  const { overwrite = false, verify = false } = given;
  const places = await import('../../store/copy/places.js');
  const { copyStore } = await import('../../store/copy/copy-store.js');
  const { copyThroughServer } = await import('../../server/control/copy-operation.js');
  const { from, to } = placesOf(places, environment, given);
  const listen = createCopyLines({ print, show });
  const { acceptDamagedRows } = settings();
  const source = { dataFolder: from.dataFolder ?? '', items: from.items, acceptDamagedRows };
  return await runOnStore<CopyReport>(source, terminal, {
    viaServer: (folder) =>
      copyThroughServer(folder.path, { from, to, overwrite, verify, environment }, listen),
    directly: (items) =>
      places.withBlobs(from, items, environment, (opened) =>
        places.withDestination(to, environment, (destination) =>
          copyStore({ source: opened, destination, overwrite, verify, listen, blobsAtOnce }),
        ),
      ),
  });
}

/** `copy --follow`: keeps a standby until it is ended, or another process uses the destination. */
async function follow({ terminal }: CommandContext, given: Given): Promise<void> {
  const { environment } = terminal;
  const { overwrite = false, verify = false, json = false } = given;
  if (verify)
    throw new OperatorError('--verify: not with --follow, which never ends: run copy --verify before it');
  const places = await import('../../store/copy/places.js');
  const { keepStandby } = await import('../keep-standby.js');
  const paths = placesOf(places, environment, given);
  await keepStandby({ ...paths, overwrite, environment, blobsAtOnce, terminal, json });
}

/** Throws `OperatorError` if one of them cannot be a source or a destination. */
function placesOf(places: Places, environment: Environment, given: Given) {
  const from = places.readPlaces('--from', given.from ?? addressesIn(environment, copyVariables.from));
  const to = places.readPlaces('--to', given.to ?? addressesIn(environment, copyVariables.to));
  places.requireSource(from);
  places.refuseSamePlaces(from, to);
  places.refuseNestedPlaces(from, to);
  return { from, to };
}

/** The addresses in a variable, which may hold a password: on the command line it would be visible to others. */
function addressesIn(environment: Environment, variable: string): readonly string[] {
  return (environment[variable] ?? '').split(/\s+/).filter((address) => address !== '');
}
