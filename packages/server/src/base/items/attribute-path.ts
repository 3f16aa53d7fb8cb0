import type { JsonValue } from '../../json/value.js';
import { type BrokenRule, badField, broken } from '../../request-error.js';
import { maxPathSegments } from '../limits.js';

/**
 * Splits a dotted path into its segments, or gives what is wrong with the path (docs/http.md#attribute-paths). A dot
 * always separates two segments. An attribute whose own name has a dot is stored and returned like any other, but no
 * path reaches it.
 */
export function parseAttributePath(text: string): readonly string[] | { readonly problem: BrokenRule } {
  const hasEmptySegment = text === '' || text.startsWith('.') || text.endsWith('.') || text.includes('..');
  if (hasEmptySegment)
    return { problem: broken('invalid_attribute_path', 'is empty or has an empty segment') };
  const segments = text.split('.', maxPathSegments + 1);
  return segments.length > maxPathSegments
    ? { problem: broken('invalid_attribute_path', `has more than ${maxPathSegments} segments`) }
    : segments;
}

/** The segments of a path in a request. Throws a 400 `RequestError` that names the field. */
export function segmentsOf(path: JsonValue, field: string): readonly string[] {
  if (typeof path !== 'string') throw badField(field, 'wrong_type', 'must be an attribute path');
  const segments = parseAttributePath(path);
  if (!('problem' in segments)) return segments;
  const { code, rule } = segments.problem;
  throw badField(field, code, `the attribute path ${rule}`);
}

/** The index that the segment stands for in a list, or undefined if the segment is not an index. */
export function listIndex(segment: string): number | undefined {
  return /^(0|[1-9]\d{0,8})$/.test(segment) ? Number(segment) : undefined;
}

/** A path that orders items must not lead through a list: each element would be ordered on its own. */
export function listSegmentProblem(segments: readonly string[]): BrokenRule | undefined {
  const index = segments.find((segment) => listIndex(segment) !== undefined);
  if (index === undefined) return undefined;
  return broken('invalid_attribute_path', `must not lead through a list, as the segment ${index} does`);
}

/** The segments of a path in a request that orders or groups items. Throws a 400 `RequestError` that names the field. */
export function sortSegmentsOf(path: JsonValue, field: string): readonly string[] {
  const segments = segmentsOf(path, field);
  const problem = listSegmentProblem(segments);
  if (problem !== undefined) throw badField(field, problem.code, problem.rule);
  return segments;
}

const shownCharacters = 200;

/** The path as messages show it. It is cut because it may have thousands of characters. */
export function shownPath(text: string): string {
  return text.length <= shownCharacters ? text : `${text.slice(0, shownCharacters)}…`;
}
