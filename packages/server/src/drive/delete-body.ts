import { badRequest } from '../request-error.js';
import { maxDeletedNames } from './limits.js';
import { nameProblem } from './name.js';

/** What a request of docs/http.md#delete-files asks for. */
export interface DeleteBody {
  /** Valid names, each once, in the order of the request. */
  readonly names: readonly string[];
  /** Bad names, each with the reason `invalid name`. */
  readonly failed: Readonly<Record<string, string>>;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Reads the body of Delete Files. Throws a 400 for a body that docs/http.md#delete-files does not allow. */
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
    // SyntaxError: no JSON; TypeError: no UTF-8; RangeError: nested too deep for the stack.
    if (cause instanceof SyntaxError || cause instanceof TypeError || cause instanceof RangeError) {
      throw badRequest('body: must be JSON in UTF-8');
    }
    throw cause;
  }
}

function isString(value: unknown): value is string {
  return typeof value === 'string';
}
