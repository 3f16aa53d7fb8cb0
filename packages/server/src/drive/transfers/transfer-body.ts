import type { Grant } from '../../access/grant.js';
import { requireWithin } from '../../access/scope.js';
import {
  flagOf,
  listOf,
  objectOf,
  outlineOf,
  refuseOthers,
  textOf,
} from '../../http/requests/bodies/members.js';
import type { ElementReader } from '../../json/parse.js';
import { closed, described, list, named, orNull, text, truth } from '../../json/schema.js';
import type { JsonValue } from '../../json/value.js';
import { freeing, type Steps } from '../../lib/concurrency/time-slices.js';
import { owned } from '../../lib/text/owned.js';
import { badField } from '../../request-error.js';
import { nameProblem } from '../files/name.js';
import { maxTransferredFiles } from '../limits.js';
import { readBody } from '../request-body.js';
import { isFolder } from '../rows.js';

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

const File = closed({ from: text, to: text });
const files = list(File, { minItems: 1, maxItems: maxTransferredFiles });

export const TransferFilesRequest = named(
  'TransferFilesRequest',
  closed({
    files,
    overwrite: orNull(
      described(truth, 'Whether files named `to` are replaced; otherwise they are a conflict'),
    ),
  }),
);

const filesPerStep = 32;

const readFiles = (value: JsonValue | undefined) => listOf(value, 'files', files, 'objects');
const outline = outlineOf(TransferFilesRequest, { files: readFiles, overwrite: flagOf });

/** Reads the body of Move Files, whose names must meet `rule`. A file can be moved once only, so may occur only once. */
export function readMoveBody(body: Buffer, rule: typeof nameProblem): Steps<TransferBody> {
  return freeing(readTransferBody(body, { rule, eachFromOnce: true }));
}

/** Reads the body of Copy Files. */
export function readCopyBody(body: Buffer): Steps<TransferBody> {
  return freeing(readTransferBody(body, { rule: nameProblem, eachFromOnce: false }));
}

interface TransferRules {
  /** What is wrong with a name. */
  readonly rule: typeof nameProblem;
  readonly eachFromOnce: boolean;
}

/** Throws the 400 `RequestError` that names the member that breaks a rule. */
function* readTransferBody(body: Buffer, rules: TransferRules): Steps<TransferBody> {
  const reader = new TransferReader(rules);
  const value = objectOf(yield* readBody(body, { outline, elements: reader }));
  // Those of a list were handed over, so it is empty here.
  if (!Array.isArray(value.get('files')) || reader.files.length === 0) readFiles(value.get('files'));
  return { files: reader.files, overwrite: flagOf(value.get('overwrite') ?? false, 'overwrite') };
}

/** Checks each file as soon as it is parsed. */
class TransferReader implements ElementReader {
  readonly member = 'files';
  files: Transfer[] = [];
  private readonly froms = new Set<string>();
  private readonly tos = new Set<string>();

  constructor(private readonly rules: TransferRules) {}

  begin(): void {
    this.files = [];
    this.froms.clear();
    this.tos.clear();
  }

  *take(given: JsonValue): Steps<void> {
    const index = this.files.length;
    const { from, to } = readTransfer(given, `files[${index}]`, this.rules.rule);
    if (this.rules.eachFromOnce && this.froms.has(from))
      throw badField(`files[${index}].from`, 'duplicate', 'occurs twice');
    if (this.tos.has(to)) throw badField(`files[${index}].to`, 'duplicate', 'occurs twice');
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

function readTransfer(given: JsonValue, path: string, rule: typeof nameProblem): Transfer {
  if (!(given instanceof Map)) throw badField(path, 'wrong_type', 'must be an object of from and to');
  refuseOthers(given, File, { rule: 'is not a member of a file', within: `${path}.` });
  const from = readFileName(given.get('from'), `${path}.from`, rule);
  const to = readFileName(given.get('to'), `${path}.to`, rule);
  if (from === to) throw badField(`${path}.to`, 'contradiction', 'must differ from "from"');
  if (isFolder(from) !== isFolder(to))
    throw badField(`${path}.to`, 'contradiction', 'must end with "/" if "from" does, and only then');
  return { from, to };
}

function readFileName(value: JsonValue | undefined, member: string, rule: typeof nameProblem): string {
  if (value === undefined) throw badField(member, 'required', 'is required');
  // A part of the text of the body would keep all of it in memory, and copies may take minutes.
  return owned(textOf(value, member, rule));
}
