import type { CommandContext, RegisterCommand } from '../command.js';
import { addFollowedOptions, type GivenFollowed, readFollowed } from '../followed-options.js';
import { untilStopped } from '../stop-signal.js';
import { addServerOptions, type ProjectOptions, withServer } from '../with-project.js';

interface Given extends ProjectOptions, GivenFollowed {
  readonly cursors?: boolean;
}

/** `watch`: prints what changes in a project, as it happens (docs/http.md#changes). */
export const watchCommand: RegisterCommand = (context) => {
  const command = addFollowedOptions(context.program.command('watch'))
    .description('print what changes in a project, a line of JSON for each change, until it is interrupted')
    .option('--since <cursor>', 'go on after this cursor; 0: first everything that is there')
    .option('--cursors', 'print the cursors, too, to go on from later: {"cursor":"…"}')
    .action((given: Given) => watch(context, given));
  addServerOptions(context, command);
};

async function watch(context: CommandContext, given: Given): Promise<void> {
  const { out, outLost } = context.terminal;
  const followed = readFollowed(given);
  await untilStopped('give the last cursor to --since to go on', (stopped) =>
    withServer(context, given, async ({ changeLines }) => {
      // Otherwise it would follow for ever what nobody reads.
      const signal = outLost === undefined ? stopped : AbortSignal.any([stopped, outLost]);
      try {
        for await (const { text, cursor } of changeLines({ ...followed, signal })) {
          if (text !== undefined) out(text);
          if (given.cursors === true && cursor !== undefined) out(JSON.stringify({ cursor }));
        }
      } catch (cause) {
        if (outLost?.aborted !== true) throw cause;
      }
    }),
  );
}
