/**
 * Orders two well-formed strings by their UTF-8 bytes, which is the order of their code points; JavaScript's `<`
 * orders by UTF-16 units, which differs beyond U+FFFF. Negative, 0 or positive.
 */
export function compareUtf8(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const difference = rank(a.charCodeAt(at)) - rank(b.charCodeAt(at));
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** A surrogate belongs to a code point that is greater than all that fit into one unit. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

const lastCodePoint = 0x10ffff;

/** The first string after all that begin with `prefix`, or undefined if there is none. */
export function endOfPrefix(prefix: string): string | undefined {
  for (let end = prefix.length; end > 0; ) {
    const start = startOfLast(prefix, end);
    const last = prefix.codePointAt(start) as number;
    // UTF-8 bytes have the order of code points, and surrogates are no characters.
    const next = last === 0xd7ff ? 0xe000 : last + 1;
    if (last !== lastCodePoint) return prefix.slice(0, start) + String.fromCodePoint(next);
    end = start;
  }
  return undefined;
}

/** Where the last character before `end` begins. */
function startOfLast(text: string, end: number): number {
  const isPair = end > 1 && (text.codePointAt(end - 2) as number) > 0xffff;
  return isPair ? end - 2 : end - 1;
}
