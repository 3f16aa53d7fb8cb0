import type { Steps } from '../lib/concurrency/time-slices.js';
import { backslash, comma, listStart, objectStart, point, quote, smallE, smallU } from './characters.js';

const two = 0x32;
/** The first byte in UTF-8 of the characters for which V8 needs two bytes each in the whole text. */
const firstWideByte = 0xc4;
const bytesPerStep = 64 * 1024;

/**
 * What V8 needs, in bytes, for an object and for a list without their members, and for a member: its place, its name, and
 * the number or short string that it is. Longer strings are parts of the text.
 */
const objectBytes = 192;
const listBytes = 96;
const memberBytes = 128;
/** A segment of an attribute path: its text, and its place in a tree of paths. */
const segmentBytes = 192;

/**
 * The most memory, in bytes, that JSON takes when it is read, with its text: between one and 90 times its size. Each
 * bracket, comma, and point within a string is counted, so that nothing has to be read to know it.
 */
export function* parsedSize(json: Buffer): Steps<number> {
  let bytes = 2 * memberBytes;
  let isWide = false;
  let hasEscape = false;
  let isInString = false;
  for (let at = 0, stepEnd = bytesPerStep; at < json.length; at++) {
    if (at >= stepEnd) {
      stepEnd += bytesPerStep;
      yield;
    }
    const byte = json[at] as number;
    if (isInString) {
      if (byte === quote) isInString = false;
      else if (byte === point) bytes += segmentBytes;
      else if (byte === backslash) {
        hasEscape = true;
        at++;
        if (isEscapedPoint(json, at)) bytes += segmentBytes;
      } else if (byte >= firstWideByte) isWide = true;
    } else if (byte === quote) isInString = true;
    else if (byte === comma) bytes += memberBytes;
    else if (byte === listStart) bytes += listBytes;
    else if (byte === objectStart) bytes += objectBytes;
  }
  // A string with escapes is written again.
  return bytes + (1 + Number(isWide) + Number(hasEscape)) * json.length;
}

function isEscapedPoint(json: Buffer, at: number): boolean {
  return json[at] === smallU && json[at + 3] === two && ((json[at + 4] as number) | 0x20) === smallE;
}
