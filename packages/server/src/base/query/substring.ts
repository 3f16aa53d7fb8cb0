/** V8 searches a shorter pattern with a simple loop, which makes at most this many comparisons for each character. */
const shortPattern = 7;
/** The maximum cost of the built-in search in the worst case, in comparisons. */
const maxComparisons = 100_000;

/**
 * Whether a text contains the pattern. In the worst case, the built-in search takes time proportional to the product of
 * both lengths (7 s for 20 KB in 400 KB). It is used while the product is small, and beyond that the algorithm of
 * Knuth, Morris and Pratt, which reads each character once.
 */
export function createSubstringSearch(pattern: string): (text: string) => boolean {
  let borders: Int32Array | undefined;
  return (text) => {
    if (pattern.length > text.length) return false;
    if (pattern.length < shortPattern || pattern.length * text.length <= maxComparisons) {
      return text.includes(pattern);
    }
    borders ??= bordersOf(pattern);
    return searchLinear(text, pattern, borders);
  };
}

/** For each prefix of the pattern, the length of its longest proper prefix that is also its suffix. */
function bordersOf(pattern: string): Int32Array {
  const borders = new Int32Array(pattern.length);
  let length = 0;
  for (let at = 1; at < pattern.length; at++) {
    const unit = pattern.charCodeAt(at);
    while (length > 0 && pattern.charCodeAt(length) !== unit) length = borders[length - 1] as number;
    if (pattern.charCodeAt(length) === unit) length++;
    borders[at] = length;
  }
  return borders;
}

function searchLinear(text: string, pattern: string, borders: Int32Array): boolean {
  let matched = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    while (matched > 0 && pattern.charCodeAt(matched) !== unit) matched = borders[matched - 1] as number;
    if (pattern.charCodeAt(matched) === unit && ++matched === pattern.length) return true;
  }
  return false;
}
