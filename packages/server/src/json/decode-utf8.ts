import { isAscii } from 'node:buffer';
import type { Steps } from '../lib/concurrency/time-slices.js';

const bytesPerStep = 256 * 1024;

/**
 * Gives the text of valid UTF-8. What is not ASCII is decoded in steps: 13 MB of it take 30 ms or more.
 */
export function* decodeUtf8(utf8: Buffer): Steps<string> {
  if (partBytesOf(utf8) === 0) return utf8.toString();
  let text = '';
  for (let at = 0; at < utf8.length; ) {
    const end = characterStart(utf8, at + bytesPerStep);
    text += utf8.toString('utf8', at, end);
    at = end;
    yield;
  }
  // The first character that is read puts the parts together.
  text.charCodeAt(0);
  return text;
}

/** The memory that the parts need besides the text until they are put together. */
export function partBytesOf(utf8: Buffer): number {
  return utf8.length <= bytesPerStep || isAscii(utf8) ? 0 : utf8.length;
}

/** Where the character begins that has the byte at `at`, or the end of the text. */
function characterStart(utf8: Buffer, at: number): number {
  if (at >= utf8.length) return utf8.length;
  let start = at;
  while (((utf8[start] as number) & 0xc0) === 0x80) start--;
  return start;
}
