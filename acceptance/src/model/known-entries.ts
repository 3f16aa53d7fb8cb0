/** The entries of a base or a drive: a text for each key or name that says all that a client can see of it. */
export type Entries = ReadonlyMap<string, string>;

/** What becomes of one entry; undefined: it is deleted. */
export interface EntryChange {
  readonly name: string;
  readonly next: string | undefined;
}

/** The changes of one atomic step. */
export type EntryStep = readonly EntryChange[];

/** Entries that one worker changes, with requests that are atomic, or that are done in atomic steps in a known order. */
export interface KnownEntries {
  readonly current: Entries;
  readonly isInDoubt: boolean;
  /** Runs `request`, which does the steps. They are done if it returns, and some of the first are if it throws. */
  advance(steps: readonly EntryStep[], request: () => Promise<void>): Promise<void>;
  /** Whether what was read are the entries after some of the steps in doubt. Those then count as done. */
  observe(found: Entries): boolean;
  /** The same when nothing runs: steps in doubt that have not happened by now never will. */
  resolve(found: Entries): boolean;
}

export function knownEntries(): KnownEntries {
  let current: Entries = new Map();
  let inDoubt: readonly EntryStep[] = [];

  function observe(found: Entries): boolean {
    let entries = current;
    for (let done = 0; ; done++) {
      if (areSame(entries, found)) {
        current = entries;
        inDoubt = inDoubt.slice(done);
        return true;
      }
      const next = inDoubt[done];
      if (next === undefined) return false;
      entries = afterSteps(entries, [next]);
    }
  }

  return {
    get current() {
      return current;
    },
    get isInDoubt() {
      return inDoubt.length > 0;
    },
    async advance(steps, request) {
      inDoubt = steps;
      await request();
      current = afterSteps(current, steps);
      inDoubt = [];
    },
    observe,
    resolve(found) {
      const fits = observe(found);
      if (fits) inDoubt = [];
      return fits;
    },
  };
}

/** Returns the entries after all of the steps. */
export function afterSteps(before: Entries, steps: readonly EntryStep[]): Entries {
  const after = new Map(before);
  for (const { name, next } of steps.flat()) {
    if (next === undefined) after.delete(name);
    else after.set(name, next);
  }
  return after;
}

export function areSame(left: Entries, right: Entries): boolean {
  return left.size === right.size && [...left].every(([name, text]) => right.get(name) === text);
}

/** Returns how entries differ from those expected, for people. */
export function differenceOf(expected: Entries, found: Entries): string {
  const names = [...new Set([...expected.keys(), ...found.keys()])].sort();
  const short = (text: string | undefined) => text?.slice(0, 100) ?? 'nothing';
  return names
    .filter((name) => expected.get(name) !== found.get(name))
    .map((name) => `${name}: found ${short(found.get(name))}, acknowledged ${short(expected.get(name))}`)
    .join('; ');
}
