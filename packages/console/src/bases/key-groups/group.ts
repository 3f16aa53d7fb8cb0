/** A part of the keys of a base: those with a common beginning, or one key. */
export interface KeyGroup {
  /** The beginning, up to a separator; or the whole key. */
  readonly text: string;
  readonly isPrefix: boolean;
}

/** What applications put between the parts of a key. */
const separators = /[:/.\-_|#@ ]/;

/** The group of a key: its beginning up to the first separator after the prefix, or the key itself. */
export function groupOf(key: string, prefix: string): KeyGroup {
  const rest = key.slice(prefix.length);
  const at = rest.search(separators);
  const text = key.slice(0, prefix.length + at + 1);
  return at === -1 || text === key ? { text: key, isPrefix: false } : { text, isPrefix: true };
}
