import { maxPathSegments } from './limits.js';

/**
 * Splits a dotted path into its segments, or gives what is wrong with the path (docs/http.md#attribute-paths). A dot
 * always separates two segments. An attribute whose own name has a dot is stored and returned like any other, but no
 * path reaches it.
 */
export function parseAttributePath(text: string): readonly string[] | { readonly problem: string } {
  const hasEmptySegment = text === '' || text.startsWith('.') || text.endsWith('.') || text.includes('..');
  if (hasEmptySegment) return { problem: 'is empty or has an empty segment' };
  const segments = text.split('.', maxPathSegments + 1);
  return segments.length > maxPathSegments
    ? { problem: `has more than ${maxPathSegments} segments` }
    : segments;
}

/** The index that the segment stands for in a list, or undefined if the segment is not an index. */
export function listIndex(segment: string): number | undefined {
  return /^(0|[1-9]\d{0,8})$/.test(segment) ? Number(segment) : undefined;
}

const shownCharacters = 200;

/** The path as messages show it. It is cut because it may have thousands of characters. */
export function shownPath(text: string): string {
  return text.length <= shownCharacters ? text : `${text.slice(0, shownCharacters)}…`;
}
