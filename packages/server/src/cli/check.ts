import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Environment, Settings } from '../config/settings.js';
import type { ItemStore } from '../engines/item-store.js';
import { openBlobs } from '../engines/registry.js';
import type { Clock } from '../lib/clock.js';
import { OperatorError } from '../operator-error.js';
import { callControl, type Operations } from '../server/control/socket.js';
import type { Engines } from '../store/check/check-content.js';
import { checkStore } from '../store/check/check-store.js';
import { createQuarantine } from '../store/check/quarantine.js';
import { type CheckReport, reportText } from '../store/check/report.js';
import { openDataFolder } from '../store/data-folder.js';
import { haveSameIdentity } from '../store/identity.js';
import { identityMismatch, type Places } from '../store/open-store.js';
import { orphanAgeSeconds } from '../store/orphans.js';
import { reach } from './reach-store.js';

export interface CheckCommand {
  readonly places: CheckedPlaces;
  readonly environment: Environment;
  readonly repair: boolean;
  readonly json: boolean;
  readonly print: (text: string) => void;
}

export type CheckedPlaces = Pick<Places, 'dataFolder' | 'items' | 'blobs'> &
  Pick<Settings, 'requestTimeoutMs'>;

const operation = 'check';

/** `check`: reads the whole store and prints what is wrong. Gives whether nothing is (left). */
export async function check(command: CheckCommand): Promise<boolean> {
  const { places, repair } = command;
  const { dataFolder, items: rows, blobs: bytes } = places;
  if ((rows === undefined || bytes === undefined) && !existsSync(dataFolder)) {
    throw new OperatorError(`There is no data folder ${dataFolder}`);
  }
  const report = await reach<CheckReport>(places, {
    remote: async (folder) => {
      const answer = await callControl(folder.path, operation, { repair });
      return answer === undefined ? undefined : { result: answer.result as CheckReport };
    },
    alone: (items) => checkAlone(command, items),
  });
  command.print(command.json ? JSON.stringify(report) : reportText(report));
  return report.problemCount === 0;
}

async function checkAlone(command: CheckCommand, items: ItemStore): Promise<CheckReport> {
  const { places, environment, repair } = command;
  const { dataFolder, blobs: url, requestTimeoutMs } = places;
  const folder = url === undefined ? await openDataFolder(dataFolder, ['blobs']) : undefined;
  const blobs = await openBlobs({ url, folder, environment });
  try {
    if (!(await haveSameIdentity(items, blobs))) throw identityMismatch(places);
    // To rows that are ours alone nobody writes, so none is about to come.
    const ageSeconds = items.isShared ? orphanAgeSeconds(requestTimeoutMs) : 0;
    return await checkFolder(
      { items, blobs },
      { folder: resolve(dataFolder), clock: Date.now, repair, ageSeconds },
    );
  } finally {
    await blobs.close();
  }
}

/** The server's end. */
export function checkOperations(engines: Engines, about: Omit<AboutFolder, 'repair'>): Operations {
  return {
    [operation]: (input) => {
      const repair = typeof input === 'object' && input !== null && Reflect.get(input, 'repair') === true;
      return checkFolder(engines, { ...about, repair });
    },
  };
}

interface AboutFolder {
  /** Where `--repair` sets aside. */
  readonly folder: string;
  readonly clock: Clock;
  readonly repair: boolean;
  /** See `CheckParts`. */
  readonly ageSeconds: number;
}

function checkFolder(
  engines: Engines,
  { folder, clock, repair, ageSeconds }: AboutFolder,
): Promise<CheckReport> {
  const quarantine = repair ? createQuarantine(folder, engines.blobs, clock()) : undefined;
  return checkStore({ ...engines, clock, orphanAgeSeconds: ageSeconds, quarantine });
}
