import { createHash, timingSafeEqual } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { OperatorError } from '../operator-error.js';

/** The rule of the operator's key: long enough that nobody guesses it. */
const keyRule = /^[\x21-\x7e]{32,512}$/;
const forOthers = 0o007;

/**
 * Reads the key of the operator from a file (docs/operations.md#projects): its only line that is neither empty nor begins
 * with `#`. Throws `OperatorError`, whose message never has the key; also if every user of the machine can open the file.
 */
export async function readAdminKey(path: string): Promise<string> {
  const failed = (what: string, cause?: unknown) =>
    new OperatorError(`--admin-key-file: ${path} ${what}`, { cause });
  const { mode } = await stat(path).catch((cause: Error) => {
    throw failed(`cannot be read: ${cause.message}`, cause);
  });
  if (process.platform !== 'win32' && (mode & forOthers) !== 0) {
    throw failed(`can be opened by every user of the machine: run chmod 600 ${path}`);
  }
  const content = await readFile(path, 'utf8').catch((cause: Error) => {
    throw failed(`cannot be read: ${cause.message}`, cause);
  });
  const lines = content.split('\n').map((line) => line.trim());
  const [key, ...others] = lines.filter((line) => line !== '' && !line.startsWith('#'));
  if (key === undefined || others.length > 0) throw failed('must have one key, on a line of its own');
  if (!keyRule.test(key)) throw failed('the key must have 32 to 512 visible ASCII characters');
  return key;
}

/** Compares the key of a request with that of the operator, in the same time for every wrong one. */
export function operatorCheck(adminKey: string | undefined): (apiKey: string | undefined) => boolean {
  if (adminKey === undefined) return () => false;
  const expected = sha256(adminKey);
  return (apiKey = '') => timingSafeEqual(sha256(apiKey), expected);
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
