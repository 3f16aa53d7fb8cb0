import { randomBytes } from 'node:crypto';
import { maxKeyBytes } from './limits.js';

const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789';
const generatedKeyLength = 12;
/** Bytes from here on would favour the first characters of the alphabet. */
const unbiasedBelow = 256 - (256 % alphabet.length);

/** "a string of 1–1024 UTF-8 bytes, no lone surrogates, no U+0000": the rule that it breaks, or undefined. */
export function keyProblem(key: string): string | undefined {
  if (key === '') return 'must not be empty';
  const bytes = Buffer.byteLength(key);
  if (bytes > maxKeyBytes) return `has ${bytes} bytes of UTF-8, at most ${maxKeyBytes}`;
  if (!key.isWellFormed()) return 'has a lone surrogate';
  if (key.includes('\0')) return 'must not contain U+0000';
  return undefined;
}

let pool = Buffer.alloc(0);
let poolAt = 0;

/** "Absent: the server makes one of 12 characters of [a-z0-9]" — some 62 random bits. */
export function generateKey(): string {
  let key = '';
  while (key.length < generatedKeyLength) {
    if (poolAt === pool.length) {
      // One call to the system's generator for some hundred keys.
      pool = randomBytes(4096);
      poolAt = 0;
    }
    const byte = pool[poolAt++]!;
    if (byte < unbiasedBelow) key += alphabet[byte % alphabet.length];
  }
  return key;
}
