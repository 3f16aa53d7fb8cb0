import type { Command } from 'commander';
import { readQueryOption } from './query-option.js';
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
