import type { Command } from 'commander';
import { closest, distance } from 'fastest-levenshtein';
import { OperatorError } from '../operator-error.js';

/** The error for a word that names no command below this one. It names the likeliest command, if one is similar. */
export function unknownCommand(word: string, above: Command): OperatorError {
  const likeliest = closest(
    word,
    above.commands.map((command) => command.name()),
  );
  const hint = distance(word, likeliest) <= 2 ? `Did you mean ${likeliest}?` : 'see --help';
  return new OperatorError(`unknown command '${word}' (${hint})`);
}
