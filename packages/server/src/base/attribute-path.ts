import { maxItemDepth } from './limits.js';

/**
 * "Nested attributes are addressed with dotted paths such as `profile.age`": the segments, or undefined when one of
 * them is empty. A dot always separates: an attribute whose own name holds a dot is stored and returned like
 * any other, but no path reaches it. Items are at most `maxItemDepth` deep, so the segment behind that many already
 * makes a path that reaches nothing, and millions more need no memory.
 */
export function parseAttributePath(text: string): readonly string[] | undefined {
  const hasEmptySegment = text === '' || text.startsWith('.') || text.endsWith('.') || text.includes('..');
  return hasEmptySegment ? undefined : text.split('.', maxItemDepth + 1);
}

/** A segment that may address an element of a list. */
export function listIndex(segment: string): number | undefined {
  return /^(0|[1-9]\d{0,8})$/.test(segment) ? Number(segment) : undefined;
}
