import { existsSync } from 'node:fs';
import type { Clock } from '../clock.js';
import { openFsBlobStore } from '../engines/fs.js';
import { OperatorError } from '../operator-error.js';
import { orphanAgeSeconds } from '../upkeep/orphans.js';
import type { Engines } from './check-content.js';
import { type CheckReport, reportText } from './check-report.js';
import { checkStore } from './check-store.js';
import { callControl, type Operations } from './control.js';
import { reach } from './reach.js';
import { createSetAside } from './set-aside.js';

export interface CheckCommand {
  readonly dataFolder: string;
  readonly repair: boolean;
  readonly json: boolean;
  readonly print: (text: string) => void;
}

const operation = 'check';

/** `check`: reads the whole store and prints what is wrong. Gives whether nothing is (left). */
export async function check(command: CheckCommand): Promise<boolean> {
  const { dataFolder, repair } = command;
  if (!existsSync(dataFolder)) throw new OperatorError(`There is no data folder ${dataFolder}`);
  const report = await reach<CheckReport>(dataFolder, {
    remote: async (folder) => {
      const answer = await callControl(folder.path, operation, { repair });
      return answer === undefined ? undefined : { result: answer.result as CheckReport };
    },
    alone: async (folder, items) => {
      const blobs = await openFsBlobStore(folder.blobs);
      try {
        // Nobody writes, so no row is about to come.
        const about = { folder: folder.path, clock: Date.now, repair, ageSeconds: 0 };
        return await checkFolder({ items, blobs }, about);
      } finally {
        await blobs.close();
      }
    },
  });
  command.print(command.json ? JSON.stringify(report) : reportText(report));
  return report.problemCount === 0;
}

/** The server's end. */
export function checkOperations(engines: Engines, folder: string, clock: Clock): Operations {
  return {
    [operation]: (input) => {
      const repair = typeof input === 'object' && input !== null && Reflect.get(input, 'repair') === true;
      return checkFolder(engines, { folder, clock, repair, ageSeconds: orphanAgeSeconds });
    },
  };
}

interface AboutFolder {
  readonly folder: string;
  readonly clock: Clock;
  readonly repair: boolean;
  readonly ageSeconds: number;
}

function checkFolder(
  engines: Engines,
  { folder, clock, repair, ageSeconds }: AboutFolder,
): Promise<CheckReport> {
  const setAside = repair ? createSetAside(folder, engines.blobs, clock()) : undefined;
  return checkStore({ ...engines, clock, orphanAgeSeconds: ageSeconds, setAside });
}
