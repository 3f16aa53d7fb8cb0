import type { Environment } from '../config/settings.js';
import { copyThroughServer } from '../server/control/copy-operation.js';
import { copyStore } from '../store/copy/copy-store.js';
import {
  readPlaces,
  refuseSamePlaces,
  requireSource,
  withBlobs,
  withDestination,
} from '../store/copy/places.js';
import type { CopyReport } from '../store/copy/report.js';
import { createProgressLines, type StatusLine } from './copy-progress.js';
import { copyReportText } from './copy-report.js';
import { reach } from './reach-store.js';

export interface CopyCommand {
  /** One or two addresses each, as they were typed. */
  readonly from: readonly string[];
  readonly to: readonly string[];
  readonly environment: Environment;
  readonly overwrite: boolean;
  readonly verify: boolean;
  readonly json: boolean;
  readonly print: (text: string) => void;
  readonly status: StatusLine;
}

/** Where nobody is served, the disk or the network is the bound. */
const blobsAtOnceAlone = 8;

/**
 * `copy`: makes the destination equal to the source, through the server that has the source's folder or, when none
 * runs or the rows are shared, by itself. Gives whether all was copied and found equal. Throws `OperatorError`.
 */
export async function copy(command: CopyCommand): Promise<boolean> {
  const { environment, overwrite, verify, status } = command;
  const from = readPlaces('--from', command.from);
  const to = readPlaces('--to', command.to);
  requireSource(from);
  refuseSamePlaces(from, to);
  const listen = createProgressLines(status);
  const report = await reach<CopyReport>(
    { dataFolder: from.dataFolder ?? '', items: from.items },
    {
      remote: (folder) =>
        copyThroughServer(folder.path, { from, to, overwrite, verify, environment }, listen),
      alone: (items) =>
        withBlobs(from, items, environment, (source) =>
          withDestination(to, environment, (destination) =>
            copyStore({
              ...{ source, destination, overwrite, verify, listen },
              blobsAtOnce: blobsAtOnceAlone,
            }),
          ),
        ),
    },
  ).finally(() => status.show?.(''));
  command.print(command.json ? JSON.stringify(report) : copyReportText(report));
  return report.problemCount === 0;
}
