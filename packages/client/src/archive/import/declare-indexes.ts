import { setTimeout as wait } from 'node:timers/promises';
import { openBase } from '../../base/open-base.js';
import { BasedriveError } from '../../http/error.js';
import { endpointOf } from '../api/address.js';
import type { BaseEntry, IndexEntry } from '../layout/manifest.js';
import type { ImportRun } from './import-run.js';

/** How often it is asked whether they are ready, and how often at most: a base with other items may take long. */
const askEachMs = 50;
const maxAsked = 1200;

/**
 * Declares the indexes of a base before its items come, so that they are built with each of them. One that cannot be
 * declared is set aside. Gives what waits until they are ready, for a minute at most.
 */
export async function declareIndexes(
  { address, setAside }: ImportRun,
  { base, path, indexes = [] }: Pick<BaseEntry, 'base' | 'path' | 'indexes'>,
): Promise<() => Promise<void>> {
  const { signal } = address;
  const opened = openBase<Record<string, unknown>>(endpointOf(address, base));
  const isDeclared = async ({ name, fields, unique, each }: IndexEntry): Promise<boolean> => {
    try {
      await opened.declareIndex(name, fields, { unique, each, signal });
      return true;
    } catch (cause) {
      if (!(cause instanceof BasedriveError) || ![400, 403, 404, 409].includes(cause.status)) throw cause;
      setAside({ path, problem: `its index ${JSON.stringify(name)}: ${cause.message}` });
      return false;
    }
  };
  let count = 0;
  for (const index of indexes) if (await isDeclared(index)) count++;
  return async () => {
    if (count === 0) return;
    for (let asked = 0; asked < maxAsked; asked++) {
      const found = await opened.indexes({ signal });
      if (found.every(({ state }) => state !== 'building')) return;
      await wait(askEachMs, undefined, { signal });
    }
  };
}
