import { isDeepStrictEqual } from 'node:util';
import type { Client } from '../model/client.js';

/** One request that changes a subject, and what the service holds of it when it is done. */
export interface Step<T> {
  /** The request's id, by which its answer is found in the trace. */
  readonly id: string;
  readonly after: T;
}

/** A thing whose every change is known, with the means to see what a service holds of it. */
export interface History<T = unknown> {
  readonly name: string;
  readonly before: T;
  readonly steps: readonly Step<T>[];
  /** Looks; where one of the states is that of an open upload, it ends it to see its parts. */
  look(client: Client, allowed: readonly T[]): Promise<T>;
}

/** The losses of a service that began with what a power cut left, when the steps in `answered` were answered. */
export async function compare(
  client: Client,
  histories: readonly History[],
  answered: ReadonlySet<string>,
): Promise<string[]> {
  const losses = await Promise.all(
    histories.map(async ({ name, before, steps, look }) => {
      let done = 0;
      while (done < steps.length && answered.has(steps[done]?.id ?? '')) done++;
      // The step behind the last answered one may have been under way: done or not, but never by half.
      const allowed = [
        done === 0 ? before : steps[done - 1]?.after,
        ...steps.slice(done, done + 1).map((s) => s.after),
      ];
      const found = await look(client, allowed);
      if (allowed.some((state) => isDeepStrictEqual(state, found))) return undefined;
      return `${name}: found ${JSON.stringify(found)}, allowed ${JSON.stringify(allowed)}`;
    }),
  );
  return losses.filter((loss) => loss !== undefined);
}
