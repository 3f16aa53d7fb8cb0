import { OperatorError } from '../../operator-error.js';
import type { CommandContext, RegisterCommand } from '../command.js';
import { readQueryOption } from '../query-option.js';
import { repeated } from '../repeated-option.js';
import { untilStopped } from '../stop-signal.js';
import { addServerOptions, type ProjectOptions, projectOnServer } from '../with-project.js';

interface Given extends ProjectOptions {
  readonly base?: readonly string[];
  readonly drive?: readonly string[];
  readonly prefix?: string;
  readonly since?: string;
  readonly query?: string;
  readonly values: boolean;
  readonly cursors?: boolean;
}

/** `watch`: prints what changes in a project, as it happens (docs/http.md#changes). */
export const watchCommand: RegisterCommand = (context) => {
  const command = context.program
    .command('watch')
    .description('print what changes in a project, a line of JSON for each change, until it is interrupted')
    .addOption(
      repeated('--base <name>', 'this base only; * at the end: all that begin so (repeat it for several)'),
    )
    .addOption(repeated('--drive <name>', 'this drive only (repeat it for several)'))
    .option('--prefix <text>', 'only keys and names of files that begin with this')
    .option('--since <cursor>', 'go on after this cursor; 0: first everything that is there')
    .option('--query <json>', 'items that match this query; of others, it prints deletions')
    .option('--no-values', 'items without their values')
    .option('--cursors', 'print the cursors, too, to go on from later: {"cursor":"…"}')
    .action((given: Given) => watch(context, given));
  addServerOptions(context, command);
};

async function watch(context: CommandContext, given: Given): Promise<void> {
  const { out } = context.terminal;
  const { url, key } = await projectOnServer(context, given);
  const { Basedrive, BasedriveError } = await import('#client');
  const { base: bases, drive: drives, prefix, since, values } = given;
  const query = given.query === undefined ? undefined : readQueryOption(given.query);
  await untilStopped('give the last cursor to --since to go on', async (signal) => {
    const { changeLines } = Basedrive(key, { url: url.href });
    try {
      for await (const { text, cursor } of changeLines({
        bases,
        drives,
        prefix,
        since,
        query,
        values,
        signal,
      })) {
        if (text !== undefined) out(text);
        if (given.cursors === true && cursor !== undefined) out(JSON.stringify({ cursor }));
      }
    } catch (cause) {
      if (cause instanceof BasedriveError) throw new OperatorError(cause.message, { cause });
      throw cause;
    }
  });
}
