import { badRequest } from '../request-error.js';
import { maxDeletedNames } from './limits.js';
import { nameProblem } from './name.js';

/** What a Delete Files request asks for. */
export interface DeleteBody {
  /** Good names, each once, in the order of the request. */
  readonly names: readonly string[];
  /** Bad names: "`failed` as "invalid name"". */
  readonly failed: Readonly<Record<string, string>>;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** "`names`: 1–1000 strings, else 400 …; when every name is bad: 400" */
export function readDeleteBody(body: Buffer): DeleteBody {
  const value = parse(body);
  const given = typeof value === 'object' && value !== null && 'names' in value ? value.names : undefined;
  if (!Array.isArray(given) || given.length < 1 || given.length > maxDeletedNames || !given.every(isString)) {
    throw badRequest(`names: must be a list of 1 to ${maxDeletedNames} strings`);
  }
  const bad = given.filter((name) => nameProblem(name) !== undefined);
  if (bad.length === given.length) throw badRequest('names: every one is an invalid name');
  return {
    names: [...new Set(given.filter((name) => nameProblem(name) === undefined))],
    failed: Object.fromEntries(bad.map((name) => [name, 'invalid name'])),
  };
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(utf8.decode(body));
  } catch (cause) {
    // SyntaxError: no JSON; TypeError: no UTF-8; RangeError: nested beyond all measure.
    if (cause instanceof SyntaxError || cause instanceof TypeError || cause instanceof RangeError) {
      throw badRequest('body: must be JSON in UTF-8');
    }
    throw cause;
  }
}

function isString(value: unknown): value is string {
  return typeof value === 'string';
}
