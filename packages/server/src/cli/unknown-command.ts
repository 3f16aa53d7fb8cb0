import { OperatorError } from '../operator-error.js';

/** The error for a word that names no command. */
export function unknownCommand(word: string): OperatorError {
  return new OperatorError(`unknown command '${word}' (see --help)`);
}
