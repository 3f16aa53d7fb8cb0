import { appendFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A request and its answer, as a test saw them. */
export interface Exchange {
  readonly method: string;
  /** Path and query string. */
  readonly target: string;
  readonly requestType: string | undefined;
  /** Text; undefined for bodies that are no text, or too long to keep. */
  readonly requestBody: string | undefined;
  readonly status: number;
  readonly answerType: string | undefined;
  readonly answerBody: string | undefined;
}

const maxKeptBytes = 256 * 1024;

/** The folder of the recording that is in progress, if there is one. */
const folder = process.env.BASEDRIVE_TEST_RECORD;

/** Whether requests and answers are to be recorded. */
export const isRecording = folder !== undefined && folder !== '';

/** The text of a body, if it is worth keeping. */
export function keptText(body: Buffer, type: string | undefined): string | undefined {
  const isText = type === undefined || /json|html/.test(type);
  return isText && body.length <= maxKeptBytes ? body.toString() : undefined;
}

/** Adds an exchange to the recording. Each process of the tests has a file of its own. */
export function record(exchange: Exchange): void {
  appendFileSync(join(String(folder), `${process.pid}.ndjson`), `${JSON.stringify(exchange)}\n`);
}

/** All exchanges of a recording. */
export async function* recorded(from: string): AsyncGenerator<Exchange> {
  for (const name of await readdir(from)) {
    const lines = (await readFile(join(from, name), 'utf8')).split('\n');
    for (const line of lines) if (line !== '') yield JSON.parse(line) as Exchange;
  }
}
