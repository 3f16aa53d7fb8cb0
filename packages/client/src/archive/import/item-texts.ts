import {
  backslash,
  carriageReturn,
  closeBrace,
  closeBracket,
  comma,
  newline,
  openBrace,
  openBracket,
  quote,
} from '../json-bytes.js';
import { createLineSplitter, type Line } from '../lines.js';
import { isSpace, JsonScanner } from './json-scanner.js';

/** The JSON text of an item in a file, or what is wrong there. */
export interface ItemText {
  /** The line on which it begins, counted from 1. */
  readonly line: number;
  /** Without line ends; undefined if the text cannot be an item. */
  readonly text: Buffer | undefined;
  readonly problem?: string;
}

/** The longest line of an import (docs/http.md#bulk-lines): no item is longer, however it is written. */
const maxItemTextBytes = 1200 * 1024;
const byteOrderMark = Buffer.from('\ufeff');
const beginsWrapper = /^\{\s*"items"\s*:\s*\[/;
const tooLong = `an item has at most ${maxItemTextBytes} bytes of JSON`;
const cutOff = 'the file ends in the middle of an item';
const brokenString = 'a string is not closed before the end of its line';

/**
 * Finds the items in a file of a base, whatever its form: a JSON array, an object with the array `items`, or JSON
 * values one after the other, as in NDJSON. Memory: one item.
 */
export async function* itemTexts(chunks: AsyncIterable<Buffer>): AsyncGenerator<ItemText, void, undefined> {
  const iterator = chunks[Symbol.asyncIterator]();
  const head = await readHead(iterator);
  const form = formOf(head);
  const all = joined(head, iterator);
  if (form === 'lines') yield* lineTexts(all);
  else yield* valuesOf(all, form, 'items');
}

/** The texts of the elements of a list that is a member of the object in a file. Memory: one element. */
export function elementTexts(
  chunks: AsyncIterable<Buffer>,
  member: string,
): AsyncGenerator<ItemText, void, undefined> {
  return valuesOf(chunks, 'wrapper', member);
}

type Form = 'array' | 'wrapper' | 'values' | 'lines';

/** Reads as much as may belong to the first value: more than that cannot be an item. */
async function readHead(chunks: AsyncIterator<Buffer>): Promise<Buffer> {
  const scanner = new JsonScanner();
  const read: Buffer[] = [];
  let bytes = 0;
  const take = async () => {
    const { done, value } = await chunks.next();
    if (done) return undefined;
    read.push(value);
    bytes += value.length;
    return value;
  };
  while (bytes < byteOrderMark.length && (await take()) !== undefined);
  let chunk: Buffer | undefined = withoutMark(Buffer.concat(read));
  read.splice(0, read.length, chunk);
  if (chunk[firstByte(chunk)] === openBracket) return chunk;
  while (chunk !== undefined && scanner.scan(chunk, 0) === 'chunk' && bytes <= maxItemTextBytes) {
    chunk = await take();
  }
  return Buffer.concat(read);
}

function formOf(head: Buffer): Form {
  const start = firstByte(head);
  if (head[start] === openBracket) return 'array';
  if (head[start] !== openBrace) return 'lines';
  const scanner = new JsonScanner();
  const end = scanner.scan(head, start);
  if (end === 'broken string') return 'lines';
  // What is not whole cannot be an item either if it is too long, or if the file ends there.
  const looksWrapped = beginsWrapper.test(head.subarray(start).toString('latin1'));
  if (end === 'chunk') return head.length > maxItemTextBytes || looksWrapped ? 'wrapper' : 'values';
  const first = head.subarray(start, scanner.at);
  if (isWrapper(first)) return 'wrapper';
  return first.includes(newline) ? 'values' : 'lines';
}

/** An item that has an attribute `items` has a key, too. */
function isWrapper(text: Buffer): boolean {
  try {
    const value = JSON.parse(text.toString()) as { items?: unknown; key?: unknown };
    return Array.isArray(value.items) && !Object.hasOwn(value, 'key');
  } catch {
    return false;
  }
}

async function* lineTexts(chunks: AsyncIterable<Buffer>): AsyncGenerator<ItemText, void, undefined> {
  const lines = createLineSplitter(maxItemTextBytes);
  const itemText = ({ number: line, bytes: text }: Line): ItemText =>
    text === undefined ? { line, text, problem: tooLong } : { line, text };
  for await (const chunk of chunks) for (const line of lines.split(chunk)) yield itemText(line);
  for (const line of lines.end()) yield itemText(line);
}

/** Splits the elements of an array, of an array that is a member of an object, or values that follow each other. */
async function* valuesOf(
  chunks: AsyncIterable<Buffer>,
  form: Exclude<Form, 'lines'>,
  member: string,
): AsyncGenerator<ItemText, void, undefined> {
  const scanner = new JsonScanner();
  let hasEntered = form === 'values';
  let hasLeft = false;
  let line = 1;
  /** The line on which the value begins that is being scanned; undefined between values. */
  let startLine: number | undefined;
  let parts: Buffer[] = [];
  let partBytes = 0;
  const entrance = form === 'wrapper' ? createEntrance(member) : undefined;

  const finish = (last: Buffer): ItemText => {
    const text =
      partBytes + last.length > maxItemTextBytes ? undefined : onOneLine(Buffer.concat([...parts, last]));
    const found = { line: startLine ?? line, text, ...(text === undefined && { problem: tooLong }) };
    startLine = undefined;
    parts = [];
    partBytes = 0;
    return found;
  };

  for await (const chunk of chunks) {
    let at = 0;
    while (at < chunk.length && !hasLeft) {
      if (startLine !== undefined) {
        const end = scanner.scan(chunk, at);
        const piece = chunk.subarray(at, scanner.at);
        at = scanner.at;
        if (end === 'value') yield finish(piece);
        if (end === 'broken string') yield { ...finish(piece), text: undefined, problem: brokenString };
        if (end === 'chunk') {
          partBytes += piece.length;
          // What is too long is only scanned.
          if (partBytes > maxItemTextBytes) parts = [];
          else parts.push(piece);
        }
        line += countLines(piece);
        continue;
      }
      const byte = chunk[at] as number;
      if (!hasEntered) {
        hasEntered = entrance === undefined ? byte === openBracket : entrance(byte);
        if (byte === newline) line++;
        at++;
      } else if (isSpace(byte) || byte === comma) {
        if (byte === newline) line++;
        at++;
      } else if (byte === closeBracket && form !== 'values') {
        hasLeft = true;
      } else {
        startLine = line;
        scanner.reset();
      }
    }
  }
  if (startLine !== undefined) {
    yield form === 'values' && partBytes <= maxItemTextBytes
      ? finish(Buffer.alloc(0))
      : { line: startLine, text: undefined, problem: cutOff };
  } else if (!hasLeft && form !== 'values') {
    yield { line, text: undefined, problem: 'the file ends before its list of items does' };
  }
}

/** Finds the `[` of a list that is a member of an object: gives true for that byte. */
function createEntrance(member: string): (byte: number) => boolean {
  let depth = 0;
  let isInString = false;
  let isEscaped = false;
  let text = '';
  return (byte) => {
    if (isInString) {
      if (isEscaped) isEscaped = false;
      else if (byte === backslash) isEscaped = true;
      else if (byte === quote) isInString = false;
      else if (depth === 1 && text.length <= member.length) text += String.fromCharCode(byte);
      return false;
    }
    if (byte === quote) {
      isInString = true;
      text = '';
      return false;
    }
    if (byte === openBracket && depth === 1 && text === member) return true;
    if (byte === openBrace || byte === openBracket) depth++;
    if (byte === closeBrace || byte === closeBracket) depth--;
    return false;
  };
}

/** Line ends are only white space here: strings with line ends were sorted out. */
function onOneLine(text: Buffer): Buffer {
  if (!text.includes(newline) && !text.includes(carriageReturn)) return text;
  return text.map((byte) => (byte === newline || byte === carriageReturn ? 0x20 : byte)) as Buffer;
}

function countLines(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(newline); at !== -1; at = bytes.indexOf(newline, at + 1)) lines++;
  return lines;
}

/** Without the byte order mark that some editors write. */
function withoutMark(chunk: Buffer): Buffer {
  const { length } = byteOrderMark;
  return chunk.subarray(0, length).equals(byteOrderMark) ? chunk.subarray(length) : chunk;
}

function firstByte(chunk: Buffer): number {
  let at = 0;
  while (at < chunk.length && isSpace(chunk[at] as number)) at++;
  return at;
}

async function* joined(head: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  yield head;
  for (let step = await rest.next(); !step.done; step = await rest.next()) yield step.value;
}
