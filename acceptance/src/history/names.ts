import type { Row } from './transactor.js';

/** Who got which name: each name is inserted by one writer at most, together with a row of its owner. */
export interface Names {
  granted(name: string, writer: number): void;
  /** There was no answer: the writer has the name or not. */
  inDoubt(name: string, writer: number): void;
  /** Compares what is stored at the end. */
  check(taken: readonly Row[], owners: readonly Row[]): void;
}

export function trackNames(findings: string[]): Names {
  const granted = new Map<string, number>();
  const doubtful = new Set<string>();
  const claim = (name: string, writer: unknown) => `owner-${writer}-${name}`;
  return {
    granted(name, writer) {
      const other = granted.get(name);
      if (other !== undefined) findings.push(`${name} was given to ${other} and to ${writer}`);
      granted.set(name, writer);
    },
    inDoubt: (name, writer) => doubtful.add(claim(name, writer)),
    check(taken, owners) {
      for (const { key, owner } of taken) {
        const known = granted.get(key);
        if (known === undefined ? !doubtful.has(claim(key, owner)) : known !== owner)
          findings.push(`${key} belongs to ${owner}, it was given to ${known ?? 'nobody'}`);
      }
      const stored = new Set(taken.map(({ key }) => key));
      for (const [name, writer] of granted) {
        if (!stored.has(name)) findings.push(`${name} was given to ${writer} and is missing`);
      }
      // Who did not get a name has left nothing.
      const expected = taken.map(({ key, owner }) => claim(key, owner)).sort();
      const found = owners.map(({ key }) => key).sort();
      if (expected.join() !== found.join())
        findings.push(`names of ${expected.join()}, owners ${found.join()}`);
    },
  };
}
