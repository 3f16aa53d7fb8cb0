import type { Command } from 'commander';

/** What can be typed after a command. */
export interface CompletedCommand {
  /** The words that select it, below the program: `keys create`. Empty for the program itself. */
  readonly path: string;
  readonly subcommands: readonly CompletedWord[];
  /** `takesValue`: whether a value follows it. */
  readonly options: readonly (CompletedWord & { readonly takesValue: boolean })[];
}

/** The description is one line, without the name of a variable or a default. */
export type CompletedWord = ReturnType<typeof described>;

/** Every command of a program with the words that its help lists, the program itself first. */
export function completedCommands(program: Command): readonly CompletedCommand[] {
  const commands = commandsBelow(program, '');
  // `help` is followed by the words of a command.
  const subcommands = commands.find(({ path }) => path === '')?.subcommands ?? [];
  return commands.map((command) => (command.path === 'help' ? { ...command, subcommands } : command));
}

function commandsBelow(command: Command, path: string): CompletedCommand[] {
  const help = command.createHelp();
  const options = [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)];
  const subcommands = help.visibleCommands(command);
  return [
    {
      path,
      subcommands: subcommands.map((below) => described(below.name(), below.description())),
      options: options.map(({ long, short, description, required }) => ({
        ...described(long ?? short ?? '', description),
        takesValue: required,
      })),
    },
    ...subcommands.flatMap((below) => commandsBelow(below, `${path} ${below.name()}`.trim())),
  ];
}

function described(word: string, description: string) {
  return { word, description: firstClause(description) };
}

/** The description up to its first `;`, `(` or `[`: a menu has one short line for it. */
function firstClause(description: string): string {
  return (/^[^;([]*/.exec(description)?.[0] ?? '').trim();
}
