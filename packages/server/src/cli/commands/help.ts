import type { Command } from 'commander';
import type { RegisterCommand } from '../command.js';
import { unknownCommand } from '../unknown-command.js';

/** `help`: prints what `--help` of a command prints, or of the program. */
export const helpCommand: RegisterCommand = ({ program }) => {
  program
    .command('help')
    .description('print the help of a command, such as: help keys create')
    .argument('[command...]', 'the words of the command')
    .action((words: readonly string[]) => {
      let command: Command = program;
      for (const word of words) {
        const below = command.commands.find((candidate) => candidate.name() === word);
        if (below === undefined) throw unknownCommand(word, command);
        command = below;
      }
      command.outputHelp();
    });
};
