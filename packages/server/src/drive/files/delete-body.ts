import { typeFault } from '../../http/requests/bodies/members.js';
import type { ElementReader } from '../../json/parse.js';
import { described, list, object, record, text } from '../../json/schema.js';
import { writeJson } from '../../json/stringify.js';
import type { JsonValue } from '../../json/value.js';
import type { Steps } from '../../lib/concurrency/time-slices.js';
import type { ProblemCode } from '../../problem-codes.js';
import { badField, type RequestError } from '../../request-error.js';
import { maxDeletedNames } from '../limits.js';
import { readBody } from '../request-body.js';
import type { nameProblem } from './name.js';

export const DeleteFilesRequest = object({
  names: list(text, { minItems: 1, maxItems: maxDeletedNames }),
});

export const DeleteFilesResponse = object({
  deleted: described(list(text), 'The names that no longer exist, those that never existed included'),
  failed: described(record(text), 'The names that were not deleted, each with the reason'),
});

/** The names of a request to delete files (docs/http.md#delete-files). */
export interface DeleteBody {
  /** The valid names, each once, in the order of the request. */
  readonly names: readonly string[];
  /** The bad names, each once. */
  readonly bad: readonly string[];
}

const longNameCharacters = 1024;

/**
 * Reads the body of Delete Files, whose names must meet `rule`. It works in steps, because the body may have 8 MiB.
 * Throws the 400 `RequestError` of a body that docs/http.md#delete-files does not allow.
 */
export function* readDeleteBody(body: Buffer, rule: typeof nameProblem): Steps<DeleteBody> {
  const reader = new NameReader(rule);
  const value = yield* readBody(body, { elements: reader });
  const names = value instanceof Map ? value.get('names') : null;
  if (!Array.isArray(names)) throw badNames(typeFault(names));
  return reader.finish();
}

/** Writes the JSON of the answer. It works in steps, because the bad names may have 8 MiB. */
export function writeDeleteResponse({ names, bad }: DeleteBody): Steps<Buffer> {
  const failed = new Map<string, JsonValue>(bad.map((name) => [name, 'invalid name']));
  const members: [keyof typeof DeleteFilesResponse.properties, JsonValue][] = [
    ['deleted', [...names]],
    ['failed', failed],
  ];
  return writeJson(new Map(members));
}

/** Divides the names into valid and bad ones as they are parsed. */
class NameReader implements ElementReader {
  readonly member = 'names';
  private good = new Set<string>();
  private bad = new Set<string>();
  private count = 0;

  constructor(private readonly rule: typeof nameProblem) {}

  begin(): void {
    this.good = new Set();
    this.bad = new Set();
    this.count = 0;
  }

  *take(name: JsonValue): Steps<void> {
    if (typeof name !== 'string') throw badNames('wrong_type');
    if (++this.count > maxDeletedNames) throw badNames('too_many');
    if (this.rule(name) === undefined) this.good.add(name);
    else this.bad.add(name);
    // Checking a thousand long names takes several milliseconds.
    if (name.length > longNameCharacters) yield;
  }

  finish(): DeleteBody {
    if (this.count === 0) throw badNames('empty');
    if (this.good.size === 0) throw badField('names', 'invalid_value', 'every one is an invalid name');
    return { names: [...this.good], bad: [...this.bad] };
  }
}

function badNames(code: ProblemCode): RequestError {
  return badField('names', code, `must be a list of 1 to ${maxDeletedNames} strings`);
}
