import { readFile } from 'node:fs/promises';
import { OperatorError } from '../operator-error.js';
import { operatorKeyProblem } from './key-format.js';

/**
 * Reads the operator's keys from a file: one a line; empty lines and lines that begin with `#` are ignored. Throws
 * `OperatorError`, whose message names the line and never the key.
 */
export async function readKeyFile(path: string): Promise<readonly string[]> {
  const content = await readFile(path, 'utf8').catch((cause: Error) => {
    throw new OperatorError(`--key-file: ${path} cannot be read: ${cause.message}`, { cause });
  });
  const keys: string[] = [];
  for (const [index, line] of content.split('\n').entries()) {
    const key = line.trim();
    if (key === '' || key.startsWith('#')) continue;
    const problem = operatorKeyProblem(key);
    if (problem !== undefined) throw new OperatorError(`--key-file: ${path}, line ${index + 1}: ${problem}`);
    keys.push(key);
  }
  return keys;
}
