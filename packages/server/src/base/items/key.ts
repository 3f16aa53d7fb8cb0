import { randomBytes } from 'node:crypto';
import { type BrokenRule, broken } from '../../request-error.js';
import { maxKeyBytes } from '../limits.js';

const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789';
const generatedKeyLength = 12;
/** Bytes from this value on are skipped: they would make the first characters of the alphabet more frequent. */
const unbiasedBelow = 256 - (256 % alphabet.length);

/** Gives the rule that the key breaks, or undefined (docs/http.md#items). */
export function keyProblem(key: string): BrokenRule | undefined {
  if (key === '') return broken('empty', 'must not be empty');
  const bytes = Buffer.byteLength(key);
  if (bytes > maxKeyBytes) return broken('too_long', `has ${bytes} bytes of UTF-8, at most ${maxKeyBytes}`);
  if (!key.isWellFormed()) return broken('invalid_text', 'has a lone surrogate');
  if (key.includes('\0')) return broken('invalid_text', 'must not contain U+0000');
  return undefined;
}

let pool = Buffer.alloc(0);
let poolAt = 0;

/** Generates the key of an item that is sent without one (docs/http.md#items): 12 characters, about 62 random bits. */
export function generateKey(): string {
  let key = '';
  while (key.length < generatedKeyLength) {
    if (poolAt === pool.length) {
      // One call to the system's generator is enough for several hundred keys.
      pool = randomBytes(4096);
      poolAt = 0;
    }
    const byte = pool[poolAt++]!;
    if (byte < unbiasedBelow) key += alphabet[byte % alphabet.length];
  }
  return key;
}
