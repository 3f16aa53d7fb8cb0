/** Compares numbers, BigInts or one of each: negative if `a` comes before `b`, positive if after it, else 0. */
export function compare(a: unknown, b: unknown): number {
  return (a as number) < (b as number) ? -1 : (a as number) > (b as number) ? 1 : 0;
}

/** Compares texts by their UTF-8 bytes, with a result like that of `compare`. JavaScript's own order differs beyond U+FFFF. */
export function compareText(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return at === a.length || at === b.length ? a.length - b.length : rank(a, at) - rank(b, at);
}

function rank(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
