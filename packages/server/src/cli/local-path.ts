import { resolve } from 'node:path';
import { pathProblem } from '../lib/text/path-problem.js';
import { OperatorError } from '../operator-error.js';

/**
 * The absolute path of an argument that names a folder or a file. Throws `OperatorError` for an empty one, which would be
 * the working folder, and for an address, which would be a folder of that name.
 */
export function localPath(argument: string, given: string): string {
  if (given.trim() === '') throw new OperatorError(`<${argument}>: must not be empty`);
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(given))
    throw new OperatorError(`<${argument}>: must be a path on this machine, not an address`);
  const problem = pathProblem(given);
  if (problem !== undefined) throw new OperatorError(`<${argument}>: ${problem}`);
  return resolve(given);
}
