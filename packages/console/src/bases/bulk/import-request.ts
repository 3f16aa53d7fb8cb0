import { sendBytes } from '../../api/send-bytes.js';
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
  /** Called with the bytes that were sent. */
  onSent(bytes: number): void;
}

/**
 * Sends a file of items, one a line: docs/http.md#import-items. A file that is one JSON list is taken, too. Rejects with
 * `RefusedRequest`, or an `Error` if the connection was lost.
 */
export async function importFile(base: string, file: Blob, options: ImportOptions): Promise<Imported> {
  const lines = await asLines(file);
  const { isReplacing, signal, onSent } = options;
  const path = `/${encodeURIComponent(base)}/items`;
  const type = 'application/x-ndjson';
  const answer = await sendBytes(isReplacing ? 'PUT' : 'POST', path, lines, { type, signal, onSent });
  const all = answer.trim().split('\n');
  const last = JSON.parse(all.at(-1) ?? '{}') as { stored?: number; failed?: number };
  // An answer without the last line means that not everything was stored.
  if (last.stored === undefined) throw new Error('The connection was lost: not everything was stored');
  const failedLines = all.slice(0, -1).map((line) => JSON.parse(line) as FailedLine);
  return { stored: last.stored, failed: last.failed ?? 0, lines: failedLines };
}

/** Lines stay as they are. The elements of a list become lines, with their text. */
async function asLines(file: Blob): Promise<Blob> {
  const start = await file.slice(0, 64).text();
  if (!start.trimStart().startsWith('[')) return file;
  const text = await file.text();
  if (jsonProblem(text) !== undefined) return file;
  return new Blob(readElements(text).map((element) => `${compact(element)}\n`));
}
