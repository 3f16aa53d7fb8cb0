import { compareNames } from '../../api/name-order.js';
import { client } from '../../api/session.js';

/** The most that List Files gives at once (docs/http.md#list-files). */
const pageLimit = 1000;

/** Which of these names files have. It reads the lists of files around them, and passes over what lies between. */
export async function takenNames(
  drive: string,
  names: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const wanted = [...names].sort(compareNames);
  const isWanted = new Set(wanted);
  const taken = new Set<string>();
  let at = 0;
  let last = '';
  for (let first = wanted[0]; first !== undefined; first = wanted[at]) {
    const before = textBefore(first);
    if (compareNames(before, last) > 0) last = before;
    const prefix = commonBeginning(first, wanted.at(-1) ?? first);
    // One name: if a file has it, no other name that begins so comes before it.
    const limit = at === wanted.length - 1 ? 1 : pageLimit;
    const page = await client().Drive(drive).list({ prefix, last, limit, signal });
    for (const name of page.names) if (isWanted.has(name)) taken.add(name);
    if (page.paging === undefined || limit === 1) break;
    last = page.paging.last;
    while (at < wanted.length && compareNames(wanted[at] ?? '', last) <= 0) at++;
  }
  return taken;
}

/** A text that comes before a name, and after nearly everything that does: a list after it begins with the name. */
function textBefore(name: string): string {
  const end = [...name].at(-1) ?? '';
  const rest = name.slice(0, name.length - end.length);
  const point = (end.codePointAt(0) ?? 0) - 1;
  const previous = point < 0 ? '' : String.fromCodePoint(point);
  // What cannot be part of a name cannot be asked for.
  if (previous === '' || /[\p{Cc}\p{Cs}]/u.test(previous)) return rest;
  return `${rest}${previous}\u{10FFFF}`;
}

function commonBeginning(one: string, other: string): string {
  let end = 0;
  while (end < one.length && one[end] === other[end]) end++;
  // Half of a character cannot be asked for.
  if (/[\ud800-\udbff]/.test(one[end - 1] ?? '') && end < one.length) end--;
  return one.slice(0, end);
}
