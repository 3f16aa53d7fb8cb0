import type { Grant } from '../access/grant.js';
import { requireWithin } from '../access/scope.js';
import type { Outline } from '../json/outline.js';
import type { ElementReader } from '../json/parse.js';
import { closed, described, list, named, orNull, text, truth } from '../json/schema.js';
import type { JsonValue } from '../json/value.js';
import { freeing, type Steps } from '../lib/time-slices.js';
import { badRequest } from '../request-error.js';
import { readBody } from './json-body.js';
import { maxTransferredFiles } from './limits.js';
import { nameProblem } from './name.js';

/** One file of Move Files or Copy Files. */
export interface Transfer {
  readonly from: string;
  readonly to: string;
}

/** The request of docs/http.md#move-files or docs/http.md#copy-files. */
export interface TransferBody {
  readonly files: readonly Transfer[];
  /** Whether files named `to` are replaced. */
  readonly overwrite: boolean;
}

export const TransferFilesRequest = named(
  'TransferFilesRequest',
  closed({
    files: list(closed({ from: text, to: text }), { minItems: 1, maxItems: maxTransferredFiles }),
    overwrite: orNull(
      described(truth, 'Whether files named `to` are replaced; otherwise they are a conflict'),
    ),
  }),
);

const filesPerStep = 32;
const maxShown = 100;

const outline: Outline = {
  members: new Map([
    ['files', { most: maxTransferredFiles, problem: badFiles }],
    ['overwrite', { most: 0, problem: badOverwrite }],
  ]),
  unknown: (member) => badRequest(`${shown(member)}: is not a member of this request`),
};

/** Reads the body of Move Files. A file can be moved to one place only, so a `from` may occur only once. */
export function readMoveBody(body: Buffer): Steps<TransferBody> {
  return freeing(readTransferBody(body, true));
}

/** Reads the body of Copy Files. */
export function readCopyBody(body: Buffer): Steps<TransferBody> {
  return freeing(readTransferBody(body, false));
}

/** Throws the 400 `RequestError` that names the member that breaks a rule. */
function* readTransferBody(body: Buffer, eachFromOnce: boolean): Steps<TransferBody> {
  const reader = new TransferReader(eachFromOnce);
  const value = yield* readBody(body, { outline, elements: reader });
  if (!(value instanceof Map)) throw badRequest('body: must be a JSON object');
  if (!Array.isArray(value.get('files')) || reader.files.length === 0) throw badFiles();
  const overwrite = value.get('overwrite') ?? false;
  if (typeof overwrite !== 'boolean') throw badOverwrite();
  return { files: reader.files, overwrite };
}

/** Checks each file as soon as it is parsed. */
class TransferReader implements ElementReader {
  readonly member = 'files';
  files: Transfer[] = [];
  private readonly froms = new Set<string>();
  private readonly tos = new Set<string>();

  constructor(private readonly eachFromOnce: boolean) {}

  begin(): void {
    this.files = [];
    this.froms.clear();
    this.tos.clear();
  }

  *take(given: JsonValue): Steps<void> {
    const index = this.files.length;
    const { from, to } = readTransfer(given, `files[${index}]`);
    if (this.eachFromOnce && this.froms.has(from)) throw badRequest(`files[${index}].from: occurs twice`);
    if (this.tos.has(to)) throw badRequest(`files[${index}].to: occurs twice`);
    this.froms.add(from);
    this.tos.add(to);
    this.files.push({ from, to });
    if (index % filesPerStep === filesPerStep - 1) yield;
  }
}

/** Throws the 403 `RequestError` of a file that is moved or copied from or to beyond the key's prefix. */
export function requireTransferWithin(grant: Grant, { files }: TransferBody): void {
  for (const { from, to } of files) {
    requireWithin(grant, from);
    requireWithin(grant, to);
  }
}

function readTransfer(given: JsonValue, place: string): Transfer {
  if (!(given instanceof Map)) throw badRequest(`${place}: must be an object of from and to`);
  for (const member of given.keys()) {
    if (member !== 'from' && member !== 'to') {
      throw badRequest(`${place}.${shown(member)}: is not a member of a file`);
    }
  }
  const from = readFileName(given.get('from'), `${place}.from`);
  const to = readFileName(given.get('to'), `${place}.to`);
  if (from === to) throw badRequest(`${place}.to: must differ from "from"`);
  return { from, to };
}

function readFileName(value: JsonValue | undefined, member: string): string {
  if (value === undefined) throw badRequest(`${member}: is required`);
  if (typeof value !== 'string') throw badRequest(`${member}: must be a string`);
  const problem = nameProblem(value);
  if (problem !== undefined) throw badRequest(`${member}: ${problem}`);
  // A part of the text of the body would keep all of it in memory, and copies may take minutes.
  return Buffer.from(value).toString();
}

/** The name of a member as messages show it. It is cut because it may be as long as the body. */
function shown(member: string): string {
  return member.slice(0, maxShown);
}

function badFiles(): Error {
  return badRequest(`files: must be a list of 1 to ${maxTransferredFiles} objects`);
}

function badOverwrite(): Error {
  return badRequest('overwrite: must be true or false');
}
