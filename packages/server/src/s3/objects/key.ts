import { folderNameProblem, nameProblem } from '../../drive/files/name.js';
import { S3Error } from '../errors.js';

/** Throws an `S3Error` if the name cannot be that of a file, or of the marker of a folder. */
export function requireKey(key: string): void {
  const problem = key.endsWith('/') ? folderNameProblem(key) : nameProblem(key);
  if (problem === undefined) return;
  if (problem.code === 'too_long') throw new S3Error('KeyTooLongError');
  throw new S3Error('InvalidArgument', `The key ${problem.rule}`, { ArgumentName: 'Key' });
}
