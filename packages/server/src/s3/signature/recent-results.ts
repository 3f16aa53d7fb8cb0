const maxKept = 256;
/** Longer texts are unusual, and would take more memory. */
const maxCharacters = 512;

/** Keeps the results of `read` for the last texts. What throws, or is undefined, is not kept. */
export function createRecentResults<Value>(): (text: string, read: (text: string) => Value) => Value {
  const kept = new Map<string, Value>();
  return (text, read) => {
    const known = kept.get(text);
    if (known !== undefined) return known;
    const value = read(text);
    if (value === undefined || text.length > maxCharacters) return value;
    if (kept.size >= maxKept) kept.clear();
    kept.set(text, value);
    return value;
  };
}
