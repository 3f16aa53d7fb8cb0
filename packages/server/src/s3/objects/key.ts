import { folderNameProblem, nameProblem } from '../../drive/files/name.js';
import type { BrokenRule } from '../../request-error.js';
import { S3Error } from '../errors.js';

/** What is wrong with the name of an object: it is that of a file, or of the marker of a folder. */
export function keyProblem(key: string): BrokenRule | undefined {
  return key.endsWith('/') ? folderNameProblem(key) : nameProblem(key);
}

/** Throws an `S3Error` if no object can have this name. */
export function requireKey(key: string): void {
  const problem = keyProblem(key);
  if (problem === undefined) return;
  if (problem.code === 'too_long') throw new S3Error('KeyTooLongError');
  throw new S3Error('InvalidArgument', `The key ${problem.rule}`, { ArgumentName: 'Key' });
}
