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
  const points = Array.from(prefix, (character) => character.codePointAt(0) ?? 0);
  for (;;) {
    const last = points.pop();
    if (last === undefined) return undefined;
    if (last === lastCodePoint) continue;
    // UTF-8 bytes have the order of code points, and surrogates are no characters.
    points.push(last === 0xd7ff ? 0xe000 : last + 1);
    return String.fromCodePoint(...points);
  }
}
