import { isDeepStrictEqual } from 'node:util';
import type { Client } from '../model/client.js';

/** One request that changes a model, and the state that the service stores afterwards. */
export interface Step<T> {
  /** The request id, by which the answer is found in the trace. */
  readonly id: string;
  readonly after: T;
  /** The states that it goes through if it is not atomic. */
  readonly between?: readonly T[];
}

/** All changes of one item or file, and a way to read what a service stores of it. */
export interface History<T = unknown> {
  readonly name: string;
  readonly before: T;
  readonly steps: readonly Step<T>[];
  /** Reads the state. If an allowed state has an open upload, that is ended in order to read its parts. */
  read(client: Client, allowed: readonly T[]): Promise<T>;
}

/** Returns what a service has lost that was started after a power cut, when the steps in `answered` were answered. */
export async function compare(
  client: Client,
  histories: readonly History[],
  answered: ReadonlySet<string>,
): Promise<string[]> {
  const losses = await Promise.all(
    histories.map(async ({ name, before, steps, read }) => {
      let done = 0;
      while (done < steps.length && answered.has(steps[done]?.id ?? '')) done++;
      // The step after the last answered one may have been in flight: it has happened or not, but never in part.
      const allowed = [
        done === 0 ? before : steps[done - 1]?.after,
        ...steps.slice(done, done + 1).flatMap(({ between = [], after }) => [...between, after]),
      ];
      const found = await read(client, allowed);
      if (allowed.some((state) => isDeepStrictEqual(state, found))) return undefined;
      return `${name}: found ${JSON.stringify(found)}, allowed ${JSON.stringify(allowed)}`;
    }),
  );
  return losses.filter((loss) => loss !== undefined);
}
