import assert from 'node:assert/strict';
import type { Finding } from '../../src/lib/finding.js';
import { run } from './run-cli.js';

export interface Diagnosis {
  readonly code: number | null;
  /** The finding about a subject, which must be there. */
  of(subject: string): Finding;
}

/** Runs `basedrive doctor` with these options and variables. */
export async function doctor(
  options: readonly string[],
  variables: NodeJS.ProcessEnv = {},
): Promise<Diagnosis> {
  const { code, out, err } = await run(['doctor', '--json', '--port', '0', ...options], variables);
  assert.equal(err, '');
  const findings = JSON.parse(out) as readonly Finding[];
  return {
    code,
    of(subject) {
      const finding = findings.find((each) => each.subject === subject);
      assert.ok(finding !== undefined, `${subject} in ${out}`);
      return finding;
    },
  };
}

/** The variables with which the clock of a program is so many seconds ahead. */
export function clockAhead(seconds: number): NodeJS.ProcessEnv {
  const script = `
    const Real = Date, ms = ${seconds * 1000};
    globalThis.Date = class Date extends Real {
      constructor(...given) { super(...(given.length === 0 ? [Real.now() + ms] : given)); }
      static now() { return Real.now() + ms; }
    };`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}` };
}
