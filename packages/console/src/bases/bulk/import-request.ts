import { requestText } from '../../api/request.js';
import { compact, jsonProblem } from '../../exact/print.js';
import { readElements } from '../../exact/scan.js';

/** A line that the service refused. */
export interface FailedLine {
  readonly line: number;
  readonly errors: readonly string[];
}

export interface Imported {
  readonly stored: number;
  readonly failed: number;
  /** The refused lines that were reported. */
  readonly lines: readonly FailedLine[];
}

interface ImportOptions {
  /** Whether items replace those of the same key; else such lines are refused. */
  readonly isReplacing: boolean;
  readonly signal: AbortSignal;
  /** Called with the part of the file that is done, from 0 to 1, and what came of it. */
  onDone(part: number, imported: Imported): void;
}

/** Refused lines that are kept: more than anybody reads. */
const maxLines = 1000;
/** Bytes that are sent at a time, so that what was stored until it is stopped is known, and a slow line is no limit. */
const partSize = 4_000_000;
/** Bytes in which the first item of a file is looked for. */
const startSize = 65_536;

/**
 * Sends a file of items, one a line: docs/http.md#import-items. A file that is one JSON list is taken, too. After the
 * signal it ends after the part that is on its way. Rejects with `RefusedRequest`, or an `Error` if the connection was
 * lost.
 */
export async function importFile(base: string, file: Blob, options: ImportOptions): Promise<Imported> {
  const lines = await asLines(file);
  let result: Imported = { stored: 0, failed: 0, lines: [] };
  let before = 0;
  for await (const part of partsOf(lines)) {
    if (options.signal.aborted) break;
    const { stored, failed, lines: refused } = await importPart(base, part.bytes, options);
    const known = refused.map(({ line, errors }) => ({ line: line + before, errors }));
    result = {
      stored: result.stored + stored,
      failed: result.failed + failed,
      lines: [...result.lines, ...known].slice(0, maxLines),
    };
    before += part.lineCount;
    options.onDone(part.end / lines.size, result);
  }
  return result;
}

interface Part {
  readonly bytes: Blob;
  readonly lineCount: number;
  /** The place after it in the file. */
  readonly end: number;
}

/** Parts that end with a line. */
async function* partsOf(file: Blob): AsyncGenerator<Part> {
  for (let at = 0, size = partSize; at < file.size; ) {
    const bytes = new Uint8Array(await file.slice(at, at + size).arrayBuffer());
    const isEnd = at + size >= file.size;
    const length = isEnd ? bytes.length : bytes.lastIndexOf(0x0a) + 1;
    if (length === 0) {
      // One line is longer than a part.
      size *= 2;
      continue;
    }
    const part = bytes.subarray(0, length);
    yield { bytes: new Blob([part]), lineCount: countLines(part), end: at + length };
    at += length;
    size = partSize;
  }
}

function countLines(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(0x0a); at !== -1; at = bytes.indexOf(0x0a, at + 1)) count++;
  return count;
}

async function importPart(base: string, lines: Blob, { isReplacing }: ImportOptions): Promise<Imported> {
  const path = `/${encodeURIComponent(base)}/items`;
  const body = { body: lines, type: 'application/x-ndjson' };
  const answer = await requestText(isReplacing ? 'PUT' : 'POST', path, body);
  const all = answer.trim().split('\n');
  const last = JSON.parse(all.at(-1) ?? '{}') as { stored?: number; failed?: number };
  // An answer without the last line means that not everything was stored.
  if (last.stored === undefined) throw new Error('The connection was lost: not everything was stored');
  const failedLines = all.slice(0, -1).map((line) => JSON.parse(line) as FailedLine);
  return { stored: last.stored, failed: last.failed ?? 0, lines: failedLines };
}

/** What tells that a file has no items, or undefined. Its lines are checked by the service. */
export async function fileProblem(file: File): Promise<string | undefined> {
  if (file.size === 0) return 'The file is empty.';
  const start = await file.slice(0, startSize).text();
  if (/^\s*[[{]/m.test(start)) return undefined;
  return /\.[ct]sv$/i.test(file.name)
    ? 'Tables (CSV) are not read. Save it as JSON: a list of objects, or one object a line.'
    : 'There is no JSON in this file: a list of objects, or one object a line.';
}

/** Lines stay as they are. The elements of a list become lines, with their text. */
async function asLines(file: Blob): Promise<Blob> {
  const start = await file.slice(0, 64).text();
  if (!start.trimStart().startsWith('[')) return file;
  const text = await file.text();
  if (jsonProblem(text) !== undefined) return file;
  return new Blob(readElements(text).map((element) => `${compact(element)}\n`));
}
