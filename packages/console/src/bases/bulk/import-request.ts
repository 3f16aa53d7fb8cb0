import { requestText } from '../../api/request.js';
import { compact, jsonProblem } from '../../exact/print.js';
import { readElements } from '../../exact/scan.js';
import { countLines } from './export.js';

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

export interface ImportOptions {
  /** Whether items replace those of the same key; else such lines are refused. */
  readonly isReplacing: boolean;
  readonly signal: AbortSignal;
  /** Called with the part of the file that is done, from 0 to 1, and what came of it. */
  onDone(part: number, imported: Imported): void;
}

const nothing: Imported = { stored: 0, failed: 0, lines: [] };
/** Refused lines that are kept: more than anybody reads. */
const maxLines = 1000;
/** Bytes that are sent at a time, so that what was stored until it is stopped is known, and a slow line is no limit. */
const partSize = 4_000_000;
/** Bytes in which the first item of a file is looked for. */
const startSize = 65_536;

/** Lines that are sent at a time. */
export interface Part {
  readonly bytes: Blob;
  /** The line of the file that a line of the part comes from. */
  lineOf(line: number): number;
  /** The part of the file that is read with it, from 0 to 1. */
  readonly part: number;
  /** Lines that are refused before they are sent. */
  readonly refused?: readonly FailedLine[];
}

/**
 * Sends a file of items, one a line: docs/http.md#import-items. A file that is one JSON list is taken, too. After the
 * signal it ends after the part that is on its way. Rejects with `RefusedRequest`, or an `Error` if the connection was
 * lost.
 */
export async function importFile(base: string, file: Blob, options: ImportOptions): Promise<Imported> {
  return importParts(base, partsOf(await asLines(file)), options);
}

/** Sends lines part by part, as `importFile` does. */
export async function importParts(
  base: string,
  parts: AsyncIterable<Part>,
  options: ImportOptions,
): Promise<Imported> {
  let result = nothing;
  for await (const { bytes, lineOf, part, refused = [] } of parts) {
    if (options.signal.aborted) break;
    const answered = bytes.size === 0 ? nothing : await importPart(base, bytes, options);
    const known = answered.lines.map(({ line, errors }) => ({ line: lineOf(line), errors }));
    const lines = [...refused, ...known].sort((one, other) => one.line - other.line);
    result = {
      stored: result.stored + answered.stored,
      failed: result.failed + answered.failed + refused.length,
      lines: [...result.lines, ...lines].slice(0, maxLines),
    };
    options.onDone(part, result);
  }
  return result;
}

/** Parts that end with a line. */
async function* partsOf(file: Blob): AsyncGenerator<Part> {
  let before = 0;
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
    const first = before;
    yield { bytes: new Blob([part]), lineOf: (line) => line + first, part: (at + length) / file.size };
    before += countLines(part);
    at += length;
    size = partSize;
  }
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
  return 'There is no JSON in this file: a list of objects, or one object a line.';
}

/** Whether a file is a table: by its name, or because it does not begin as JSON does. */
export async function isTable(file: File): Promise<boolean> {
  if (/\.(csv|tsv|tab)$/i.test(file.name)) return file.size > 0;
  if (/\.(json|jsonl|ndjson)$/i.test(file.name)) return false;
  const start = await file.slice(0, startSize).text();
  return start.trim() !== '' && !/^\s*[[{]/m.test(start);
}

/** Lines stay as they are. The elements of a list become lines, with their text. */
async function asLines(file: Blob): Promise<Blob> {
  const start = await file.slice(0, 64).text();
  if (!start.trimStart().startsWith('[')) return file;
  const text = await file.text();
  if (jsonProblem(text) !== undefined) return file;
  return new Blob(readElements(text).map((element) => `${compact(element)}\n`));
}
