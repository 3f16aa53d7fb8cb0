/** `items[3].profile.age`; names that would be misread stand in quotes. */
export function pathText(path: readonly (string | number)[]): string {
  let text = '';
  for (const segment of path) {
    if (typeof segment === 'number') text += `[${segment}]`;
    else if (text === '') text = segment;
    else if (/^[\p{L}\p{N}_$-]+$/u.test(segment)) text += `.${segment}`;
    else text += `[${JSON.stringify(segment)}]`;
  }
  return text;
}
