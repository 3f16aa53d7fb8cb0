import type { Row } from './transactor.js';

/** A step that claimed or saw a version of the register, from when to when. */
interface Seen {
  readonly version: number;
  readonly writer: number;
  readonly begin: number;
  /** Infinity: there was no answer. */
  readonly end: number;
  readonly isWrite: boolean;
}

/** A register whose versions are claimed one after the other, each by one writer, and seen in real time. */
export interface Register {
  /** Begins a step. */
  begin(): Step;
  /** Compares what is stored at the end: the versions with their writers, and the register's own version. */
  check(versions: readonly Row[], current: unknown): void;
}

export interface Step {
  claimed(version: number, writer: number): void;
  /** There was no answer: the version was claimed or not. */
  inDoubt(version: number, writer: number): void;
  saw(version: number): void;
}

export function versionKey(version: number): string {
  return `version-${String(version).padStart(6, '0')}`;
}

export function trackRegister(findings: string[]): Register {
  const steps: Seen[] = [];
  const doubtful: Seen[] = [];
  let clock = 0;
  return {
    begin() {
      const begin = clock++;
      return {
        claimed: (version, writer) => steps.push({ version, writer, begin, end: clock++, isWrite: true }),
        inDoubt: (version, writer) =>
          doubtful.push({ version, writer, begin, end: Number.POSITIVE_INFINITY, isWrite: true }),
        saw: (version) => steps.push({ version, writer: -1, begin, end: clock++, isWrite: false }),
      };
    },
    check(versions, current) {
      const isStored = ({ version, writer }: Seen) =>
        versions.some((row) => row.key === versionKey(version) && row.writer === writer);
      const certain = new Set(steps.filter(({ isWrite }) => isWrite).map(({ version }) => version));
      // A step in doubt counts if its version is stored and nobody else has claimed it.
      const done = doubtful.filter((step) => isStored(step) && !certain.has(step.version));
      const happened = [...steps, ...firstOfEach(done)];
      checkVersions(happened, versions, findings);
      if (current !== versions.length)
        findings.push(`the register has version ${current}, ${versions.length} versions are stored`);
      checkOrder(happened, findings);
    },
  };
}

/** A writer may have tried a version several times without an answer. */
function firstOfEach(done: readonly Seen[]): Seen[] {
  return [...new Map(done.toReversed().map((step) => [step.version, step])).values()];
}

/** Every version was claimed once, and is stored with its writer. */
function checkVersions(happened: readonly Seen[], versions: readonly Row[], findings: string[]): void {
  const writes = happened.filter(({ isWrite }) => isWrite).sort((a, b) => a.version - b.version);
  if (writes.some(({ version }, index) => version !== index + 1))
    findings.push(`the versions ${writes.map(({ version }) => version).join()} were claimed`);
  const expected = writes.map(({ version, writer }) => `${versionKey(version)} by ${writer}`);
  const found = versions.map(({ key, writer }) => `${key} by ${writer}`);
  const wrong = found.find((one, index) => one !== expected[index]);
  if (wrong !== undefined || found.length !== expected.length)
    findings.push(`${found.length} versions are stored, ${expected.length} were claimed; ${wrong ?? ''}`);
}

/** No version was seen before it was claimed, nor an earlier one after it. */
function checkOrder(happened: readonly Seen[], findings: string[]): void {
  const byVersion = happened.toSorted(
    (a, b) => a.version - b.version || Number(b.isWrite) - Number(a.isWrite),
  );
  /** When the last step began that saw an earlier version, or claimed this one. */
  let earlierBegin = -1;
  let sameBegin = -1;
  let version = 0;
  for (const one of byVersion) {
    if (one.version > version) {
      earlierBegin = Math.max(earlierBegin, sameBegin);
      version = one.version;
    }
    if (one.end < earlierBegin) findings.push(`version ${version} was seen, and an earlier one after it`);
    sameBegin = Math.max(sameBegin, one.begin);
    if (one.isWrite) earlierBegin = Math.max(earlierBegin, one.begin);
  }
}
