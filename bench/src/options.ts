import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { parseArgs } from 'node:util';

/** What a run measures and for how long. */
export interface Options {
  /** Checks every answer, measures for a second each, judges nothing. */
  readonly quick: boolean;
  /** Names of workloads, or beginnings of them; empty: all but the long ones. */
  readonly only: readonly string[];
  /** Names of contenders; empty: all that are installed. The service always takes part. */
  readonly against: readonly string[];
  readonly rounds: number;
  /** Of one measurement. */
  readonly seconds: number;
  readonly connections: readonly number[];
  /** Rows in the base of the ordinary workloads. */
  readonly items: number;
  /** Rows in the bases that show how cost grows; empty: not measured. */
  readonly growth: readonly number[];
  /** Minutes of the long load; 0: none. */
  readonly longMinutes: number;
  /** Rows that the long load spreads over. */
  readonly longItems: number;
  /** Files in the drive that is listed; 0: not measured. */
  readonly files: number;
  /** Where the servers keep their data while they run. */
  readonly folder: string;
}

export const usage = `npm run bench -- [options]

  --quick                a smoke test: every answer checked, a second each, no time judged
  --only a,b             these workloads alone (a beginning of the name is enough)
  --against a,b          these contenders alone (the service always takes part); see bench/README.md
  --rounds n             rounds of the rotation (3)
  --seconds n            of each measurement (5)
  --connections 1,64     connections (1,64,512)
  --items n              items in the base (100000)
  --growth 1000,5000000  also measure bases of these sizes (none)
  --long n               also n minutes of puts, watched for stalls (none)
  --long-items n         items that the long load spreads over (5000000)
  --files n              also lists of a drive of n files (none)
  --all                  --growth 1000,100000,5000000 --long 10 --files 1000000
  --folder path          where data lies meanwhile: a real disk (/var/tmp)
`;

/** @throws Error with a line for the user, for options that make no sense */
export function parseOptions(args: readonly string[]): Options | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      all: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
      only: { type: 'string', default: '' },
      against: { type: 'string', default: '' },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      connections: { type: 'string' },
      items: { type: 'string' },
      growth: { type: 'string' },
      long: { type: 'string' },
      'long-items': { type: 'string' },
      files: { type: 'string' },
      folder: { type: 'string' },
    },
  });
  if (values.help) return undefined;
  const { quick, all } = values;
  const number = (
    name: 'rounds' | 'seconds' | 'items' | 'long' | 'long-items' | 'files',
    otherwise: number,
  ) => (values[name] === undefined ? otherwise : wholeNumber(name, values[name]));
  return {
    quick,
    only: list(values.only),
    against: list(values.against),
    rounds: number('rounds', quick ? 1 : 3),
    seconds: number('seconds', quick ? 1 : 5),
    connections: numbers('connections', values.connections ?? (quick ? '8' : '1,64,512')),
    // A page reads a megabyte: there must be more than that.
    items: atLeast('items', 10_000, number('items', quick ? 10_000 : 100_000)),
    growth: numbers('growth', values.growth ?? (all ? '1000,100000,5000000' : '')),
    longMinutes: number('long', all ? 10 : 0),
    longItems: number('long-items', 5_000_000),
    files: number('files', all ? 1_000_000 : 0),
    folder: values.folder ?? (existsSync('/var/tmp') ? '/var/tmp' : tmpdir()),
  };
}

function list(text: string): string[] {
  return text.split(',').filter((part) => part !== '');
}

function numbers(name: string, text: string): number[] {
  return list(text).map((part) => wholeNumber(name, part));
}

function wholeNumber(name: string, text: string): number {
  if (!/^\d+$/.test(text)) throw new Error(`--${name}: ${text} is no whole number`);
  return Number(text);
}

function atLeast(name: string, least: number, value: number): number {
  if (value < least) throw new Error(`--${name}: at least ${least}`);
  return value;
}
