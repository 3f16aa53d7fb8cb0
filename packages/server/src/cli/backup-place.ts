import { resolve } from 'node:path';
import { blobsAddressProblem, isFolderPath } from '../engines/registry.js';
import { OperatorError } from '../operator-error.js';

/** The address of a place for backups: a URL, or the absolute path of a folder. Throws `OperatorError`. */
export function readPlace(given: string): string {
  const problem = given === '' ? 'must not be empty' : blobsAddressProblem(given);
  // The address may hold a password, so it is not repeated.
  if (problem !== undefined) throw new OperatorError(`The place of backups ${problem}`);
  return isFolderPath(given) ? resolve(given) : given;
}
