import { type Command, InvalidArgumentError } from 'commander';
import type { NewKeyOptions } from '../keys/new-key.js';
import { runAtOnce } from '../lib/concurrency/time-slices.js';
import { OperatorError } from '../operator-error.js';
import { RequestError } from '../request-error.js';
import { repeated } from './repeated-option.js';

/** The limits of `keys create`, as they are given. */
export interface GivenLimits {
  readonly name?: string;
  readonly access?: string;
  readonly base?: readonly string[];
  readonly drive?: readonly string[];
  readonly prefix?: string;
  /** Seconds. */
  readonly expires?: number;
  readonly origin?: readonly string[];
  readonly rate?: number;
  readonly s3?: boolean;
}

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** The option for each member of Create Key: what the request calls otherwise, a message calls by its option. */
const optionOfMember: Readonly<Record<string, keyof GivenLimits>> = {
  name: 'name',
  access: 'access',
  bases: 'base',
  drives: 'drive',
  prefix: 'prefix',
  expires_in: 'expires',
  origins: 'origin',
  requests_per_second: 'rate',
  s3: 's3',
};

/** Adds the options that limit a new key (docs/http.md#limited-keys). */
export function addLimitOptions(command: Command): Command {
  return command
    .option('--name <text>', 'what people call the key')
    .option('--access <access>', 'full, write or read (default: full)')
    .addOption(
      repeated(
        '--base <name>',
        'a base that the key may use; a name ending in * means all that begin so; repeatable',
      ),
    )
    .addOption(repeated('--drive <name>', 'a drive that the key may use, likewise; repeatable'))
    .option('--prefix <text>', 'what the keys of items and the names of files must begin with')
    .option('--expires <time>', 'how long the key is valid, such as 90s, 30m, 24h or 30d', readSeconds)
    .addOption(
      repeated(
        '--origin <origin>',
        'an origin whose web pages may use the key, such as https://shop.example; repeatable',
      ),
    )
    .option('--rate <number>', 'the maximum number of requests per second', Number)
    .option('--s3', 'give the key S3 credentials, too');
}

/** Checks the limits by the rules of Create Key. Throws `OperatorError` with the option that breaks one. */
export async function limitsOfOptions(given: GivenLimits): Promise<NewKeyOptions> {
  const { readNewKey } = await import('../keys/new-key.js');
  const members = Object.entries(optionOfMember).map(([member, option]) => [member, given[option]]);
  const body = Object.fromEntries(members);
  try {
    const { isStored: _, ...options } = runAtOnce(readNewKey(Buffer.from(JSON.stringify(body))));
    return options;
  } catch (cause) {
    if (!(cause instanceof RequestError)) throw cause;
    const named = cause.message.replace(/^(\w+)(\[\d+\])?(?=:)/, (all, member) =>
      Object.hasOwn(optionOfMember, member) ? `--${optionOfMember[member]}` : all,
    );
    throw new OperatorError(named);
  }
}

function readSeconds(value: string): number {
  const [, digits, unit] = /^(\d{1,12})([smhd])$/.exec(value) ?? [];
  if (digits === undefined || unit === undefined) {
    throw new InvalidArgumentError('It must be a time with its unit, such as 90s, 30m, 24h or 30d.');
  }
  return Number(digits) * (unitSeconds[unit] as number);
}
