import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { parseArgs } from 'node:util';

/** What a run measures and for how long. */
export interface Options {
  /** As they were typed. */
  readonly args: readonly string[];
  /** Checks every answer and measures each workload for one second; compares nothing with the targets. */
  readonly quick: boolean;
  /** Measures what features cost the requests that use them, and nothing else. */
  readonly costs: boolean;
  /** Compares the S3 API with other S3 stores, and nothing else. */
  readonly s3: boolean;
  /** Compares what requests cost with this revision, or with the build in this folder, and measures nothing else. */
  readonly revision: string | undefined;
  /** Names of workloads, or prefixes of them. Empty: all except the long ones. */
  readonly only: readonly string[];
  /** A revision, or the folder of a build, that takes part where the service is to be faster than that. */
  readonly before: string | undefined;
  /** Names of contenders. Empty: all that are installed. The service always takes part. */
  readonly against: readonly string[];
  readonly rounds: number;
  /** The duration of one measurement. */
  readonly seconds: number;
  readonly connections: readonly number[];
  /** Items in the base of the ordinary workloads. */
  readonly items: number;
  /** Items in the bases that show how cost grows with size. Empty: not measured. */
  readonly growth: readonly number[];
  /** Items in the base whose ranges are asked for; 0: not measured. */
  readonly ranges: number;
  /** Reads through the client library, after a tenth as many inserts; 0: not measured. */
  readonly clientReads: number;
  /** The duration of the long load; 0: no long load. */
  readonly longMinutes: number;
  /** The number of items that the long load writes to. */
  readonly longItems: number;
  /** Files in the drive that is listed; 0: as few as the pages of the lists need. */
  readonly files: number;
  /** Objects in the bucket that `--s3` lists, 1,000 in a folder. */
  readonly names: number;
  /** Where the servers keep their data while they run. */
  readonly folder: string;
}

export const usage = `npm run bench -- [options]

  --quick                smoke test: check every answer, measure each workload for one second, ignore targets
  --costs                measure only what features cost the requests that use them (40 rounds of 2 s)
  --costs --against r    measure what requests cost beside revision r, or the build in folder r (15 rounds of 2 s)
  --s3                   measure only the S3 API, beside radosgw and s3rver (needs wrk)
  --s3 --names n         list buckets of n objects, 1,000 in a folder; more than 100000 one list at a time (100000)
  --only a,b             run only these workloads (a prefix of the name is enough)
  --against a,b          run only these contenders (the service always takes part); see bench/README.md
  --before r             also measure what is to be faster than in revision r, or the build in folder r
  --rounds n             number of rounds (3)
  --seconds n            duration of each measurement (5)
  --connections 1,64     numbers of connections (1,64,512)
  --items n              items in the base (100000)
  --growth 1000,5000000  also measure bases of these sizes (none)
  --ranges n             also ask for ranges in a base of n items with an index (none)
  --client-reads n       also read n items through the client library, after n/10 inserts (none)
  --long n               also put items for n minutes and watch for stalls (none)
  --long-items n         number of items that the long load writes to (5000000)
  --files n              list a drive of n files (2000)
  --all                  same as --growth 1000,100000,5000000 --ranges 1000000 --client-reads 1000000 --long 10
                         --files 1000000
  --folder path          folder for the data during the run, on a real disk (/var/tmp)
`;

type NumberOption =
  | 'rounds'
  | 'seconds'
  | 'items'
  | 'names'
  | 'ranges'
  | 'client-reads'
  | 'long'
  | 'long-items'
  | 'files';

/**
 * Reads the options of the command line; undefined if help was requested.
 * @throws Error with one line for the user if an option is invalid
 */
export function parseOptions(args: readonly string[]): Options | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      all: { type: 'boolean', default: false },
      costs: { type: 'boolean', default: false },
      s3: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
      only: { type: 'string', default: '' },
      against: { type: 'string', default: '' },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      connections: { type: 'string' },
      items: { type: 'string' },
      growth: { type: 'string' },
      before: { type: 'string' },
      ranges: { type: 'string' },
      'client-reads': { type: 'string' },
      long: { type: 'string' },
      'long-items': { type: 'string' },
      files: { type: 'string' },
      names: { type: 'string' },
      folder: { type: 'string' },
    },
  });
  if (values.help) return undefined;
  const { quick, all, costs, s3 } = values;
  const revision = costs && values.against !== '' ? values.against : undefined;
  const smoke = quick && values.only === '';
  const costRounds = revision === undefined ? 40 : 15;
  const number = (name: NumberOption, otherwise: number) =>
    values[name] === undefined ? otherwise : wholeNumber(name, values[name]);
  return {
    args,
    quick,
    costs,
    s3,
    revision,
    only: list(values.only),
    before: values.before,
    against: revision === undefined ? list(values.against) : [],
    rounds: number('rounds', quick ? 1 : costs ? costRounds : 3),
    seconds: number('seconds', quick ? 1 : costs ? 2 : 5),
    connections: numbers('connections', values.connections ?? (quick ? '8' : '1,64,512')),
    // A page reads one megabyte: the base must be larger than that.
    items: atLeast('items', 10_000, number('items', quick ? 10_000 : 100_000)),
    growth: numbers('growth', values.growth ?? (all ? '1000,100000,5000000' : '')),
    ranges: number('ranges', all ? 1_000_000 : smoke ? 5_000 : 0),
    clientReads: number('client-reads', all ? 1_000_000 : smoke ? 1_000 : 0),
    longMinutes: number('long', all ? 10 : 0),
    longItems: number('long-items', 5_000_000),
    files: number('files', all ? 1_000_000 : 0),
    names: atLeast('names', 2000, number('names', quick ? 2000 : 100_000)),
    folder: values.folder ?? (existsSync('/var/tmp') ? '/var/tmp' : tmpdir()),
  };
}

/** The command that measures the same again anywhere: without folders of this machine. */
export function commandText({ args, before, folder }: Options, beforeCommit = ''): string {
  const portable = args.flatMap((arg, index) => {
    if (arg === '--folder' || args[index - 1] === '--folder' || arg === `--folder=${folder}`) return [];
    return before === undefined ? arg : arg.replace(before, beforeCommit);
  });
  return ['npm run bench --', ...portable.map((arg) => (/[^\w,./=-]/.test(arg) ? `"${arg}"` : arg))].join(
    ' ',
  );
}

function list(text: string): string[] {
  return text.split(',').filter((part) => part !== '');
}

function numbers(name: string, text: string): number[] {
  return list(text).map((part) => wholeNumber(name, part));
}

function wholeNumber(name: string, text: string): number {
  if (!/^\d+$/.test(text)) throw new Error(`--${name}: ${text} is not a whole number`);
  return Number(text);
}

function atLeast(name: string, least: number, value: number): number {
  if (value < least) throw new Error(`--${name}: must be at least ${least}`);
  return value;
}
