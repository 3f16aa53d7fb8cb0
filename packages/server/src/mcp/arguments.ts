import { z } from 'zod';
import { inexactNumbers, readExact } from './exact-numbers.js';
import { boundsProblem, maxValues, outlineOf } from './json-bounds.js';

// The arguments that several tools take. Their other rules (lengths, characters) are the service's, which answers with
// words of its own.

export const base = z.string().min(1).describe('Name of the base');
export const drive = z.string().min(1).describe('Name of the drive');
export const key = z.string().min(1).describe('Key of the item');
export const fileName = z
  .string()
  .min(1)
  .describe('Name of the file; it may have slashes, as in notes/hello.txt');
export const prefix = z.string().optional().describe('Only names that begin with this text');
export const last = z
  .string()
  .min(1)
  .optional()
  .describe('For the next page: the `last` of the page before. Leave out for the first page');

/** The most entries of a page. */
export function limit(bounds: { readonly default: number; readonly max: number }) {
  return z
    .int()
    .min(1)
    .max(bounds.max)
    .default(bounds.default)
    .describe('The most entries that the page may have');
}

/** The most bytes of a result. */
export function maxBytes(bounds: { readonly default: number; readonly max: number }) {
  return z
    .int()
    .min(1000)
    .max(bounds.max)
    .default(bounds.default)
    .describe('The most bytes of items in the result');
}

const asText = 'or the same as a string of JSON, which keeps every digit of long numbers';

/** An object. Not of Zod's own kind, which would drop an attribute named `__proto__`. */
export function object(description: string) {
  return exactJson(`${description}; an object, ${asText}`, [{ type: 'object' }], isObject, 'an object');
}

/** A list of up to `max` objects, which have no more values together than one may have. */
export function objects(description: string, max: number) {
  return z.preprocess(
    (given, { issues }) => {
      const texts = Array.isArray(given) ? given.filter((one) => typeof one === 'string') : [];
      const values = texts.reduce((sum, text) => sum + outlineOf(text).values, 0);
      if (values <= maxValues) return given;
      issues.push({ code: 'custom', message: `more than ${maxValues} JSON values together`, input: given });
      return z.NEVER;
    },
    z.array(object(description)).min(1).max(max),
  );
}

/** Conditions on items (docs/http.md#query-conditions). */
export const query = exactJson(
  'Which items: an object of conditions that must all hold, or a list of such objects, of which one must hold; ' +
    `${asText}. A condition is "path": value (equal) or "path?operator": value. Paths of nested attributes have ` +
    'dots: "home.city". Operators: ne, lt, gt, lte, gte, r (range [from, to]), pfx (begins with), contains, ' +
    'not_contains, in, not_in (a list), exists (true or false), has (a list with this element), icontains and ipfx ' +
    '(without regard to case). The key is the attribute "key": "key?pfx": "2024-" reads only those items',
  [{ type: 'object' }, { type: 'array', items: { type: 'object' } }],
  (value): value is Conditions => isObject(value) || (Array.isArray(value) && value.every(isObject)),
  'an object of conditions, or a list of such objects',
);

type JsonObject = Record<string, unknown>;
type Conditions = JsonObject | JsonObject[];

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** JSON, or a text of JSON, whose numbers are marked where JavaScript would rewrite them. */
function exactJson<T>(
  description: string,
  types: readonly object[],
  isRight: (value: unknown) => value is T,
  rule: string,
) {
  return z
    .unknown()
    .meta({ description, anyOf: [...types, { type: 'string' }] })
    .transform((given, { issues }): T => {
      const refuse = (message: string, path: readonly string[] = []) => {
        issues.push({ code: 'custom', message, path: [...path], input: given });
        return z.NEVER;
      };
      if (typeof given !== 'string') {
        if (!isRight(given)) return refuse(`must be ${rule}`);
        const [inexact] = inexactNumbers(given);
        const advice =
          'a number of more than 15 digits may have lost some on its way: send the whole value as a string of JSON';
        return inexact === undefined ? given : refuse(advice, inexact);
      }
      const problem = boundsProblem(outlineOf(given));
      if (problem !== undefined) return refuse(problem);
      try {
        const value = readExact(given);
        return isRight(value) ? value : refuse(`must be ${rule}`);
      } catch (cause) {
        return refuse(`must be JSON: ${(cause as Error).message}`);
      }
    });
}
