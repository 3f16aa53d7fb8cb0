import { maxPathSegments } from './limits.js';

/**
 * The segments of a dotted path, or what is wrong with it (docs/http.md#items). A dot always separates: an attribute
 * whose own name has a dot in it is stored and returned like any other, but no path reaches it.
 */
export function parseAttributePath(text: string): readonly string[] | { readonly problem: string } {
  const hasEmptySegment = text === '' || text.startsWith('.') || text.endsWith('.') || text.includes('..');
  if (hasEmptySegment) return { problem: 'is empty or has an empty segment' };
  const segments = text.split('.', maxPathSegments + 1);
  return segments.length > maxPathSegments
    ? { problem: `has more than ${maxPathSegments} segments` }
    : segments;
}

/** A segment that may address an element of a list. */
export function listIndex(segment: string): number | undefined {
  return /^(0|[1-9]\d{0,8})$/.test(segment) ? Number(segment) : undefined;
}

const shownCharacters = 200;

/** A path as messages show it: cut, because it may have thousands of characters. */
export function shownPath(text: string): string {
  return text.length <= shownCharacters ? text : `${text.slice(0, shownCharacters)}…`;
}
