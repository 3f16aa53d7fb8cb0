import type { Random } from '../random.js';
import type { Client, Reply, RequestHeaders } from './client.js';
import { differenceOf, type Entries, type EntryStep, knownEntries } from './known-entries.js';
import { type Finding, lost, type Model, type ModelList } from './model.js';

/** A request that changes entries, what it must answer, and the atomic steps in which it does so. */
export interface EntriesRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: Buffer | object;
  readonly headers?: RequestHeaders;
  readonly steps: readonly EntryStep[];
  /** @throws WrongAnswer if the answer is not the one that the entries lead to */
  check(reply: Reply): void;
}

/** A base or a drive that one worker has to itself. */
export interface EntriesSource extends Omit<ModelList, 'names'> {
  /** Chooses a request. It may read before, but changes nothing. */
  next(client: Client, current: Entries, random: Random): Promise<EntriesRequest>;
  /** Reads all entries as they are at one moment. */
  read(client: Client): Promise<Entries>;
}

/** All items of a base, or all files of a drive, that requests change together. */
export function entriesModel(source: EntriesSource): Model {
  const state = knownEntries();
  const { kind, store } = source;

  async function compare(client: Client, how: 'observe' | 'resolve'): Promise<Finding[]> {
    const found = await source.read(client);
    const expected = state.current;
    if (state[how](found)) return [];
    return [lost(`${kind} of ${store}: ${differenceOf(expected, found)}`)];
  }

  return {
    name: `${kind} of ${store}`,
    get list() {
      return { kind, store, names: [...state.current.keys()] };
    },
    exists: true,
    get isInDoubt() {
      return state.isInDoubt;
    },
    async act(client, random) {
      const { method, path, body, headers, steps, check } = await source.next(client, state.current, random);
      await state.advance(steps, async () => check(await client.send(method, path, body, headers)));
    },
    observe: (client) => compare(client, 'observe'),
    verify: (client) => compare(client, 'resolve'),
  };
}

export function jsonOf<T>(reply: Reply): T {
  return JSON.parse(reply.body.toString()) as T;
}
