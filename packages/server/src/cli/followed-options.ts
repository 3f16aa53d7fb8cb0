import type { Command } from 'commander';
import { compareDecimals } from '../json/decimal.js';
import { readPlainJson } from '../json/plain.js';
import { OperatorError } from '../operator-error.js';
import { repeated } from './repeated-option.js';

/** The options that say which changes are followed, as they are given. */
export interface GivenFollowed {
  readonly base?: readonly string[];
  readonly drive?: readonly string[];
  readonly prefix?: string;
  readonly query?: string;
  readonly values: boolean;
  readonly since?: string;
}

/** Adds the options that say which changes are followed (docs/http.md#changes). */
export function addFollowedOptions(command: Command): Command {
  return command
    .addOption(
      repeated('--base <name>', 'this base only; * at the end: all that begin so (repeat it for several)'),
    )
    .addOption(repeated('--drive <name>', 'this drive only (repeat it for several)'))
    .option('--prefix <text>', 'only keys and names of files that begin with this')
    .option('--query <json>', 'items that match this query; of others, only deletions')
    .option('--no-values', 'items without their values');
}

/** What they say, as the client library has it. */
export function readFollowed({ base: bases, drive: drives, prefix, query, values, since }: GivenFollowed) {
  return {
    bases,
    drives,
    prefix,
    query: query === undefined ? undefined : readQueryOption(query),
    values: values ? undefined : (false as const),
    since,
  };
}

/** Reads `--query`, a query as JSON, with every digit of its numbers. Throws `OperatorError`. */
export function readQueryOption(text: string): Readonly<Record<string, unknown>> {
  let query: unknown;
  try {
    query = readPlainJson(text, (number) => exactNumber(text, number));
  } catch (cause) {
    if (cause instanceof OperatorError) throw cause;
  }
  if (typeof query === 'object' && query !== null) return query as Readonly<Record<string, unknown>>;
  throw new OperatorError(`--query ${text}: must be JSON, {"attribute":value}`);
}

/** The number or BigInt that is written as this number. Another one would match other items. */
function exactNumber(query: string, text: string): number | bigint {
  if (/^-?\d+$/.test(text)) return BigInt(text);
  const number = Number(text);
  if (Number.isFinite(number) && compareDecimals(String(number), text) === 0) return number;
  throw new OperatorError(`--query ${query}: ${text} has more digits than a 64-bit float`);
}
