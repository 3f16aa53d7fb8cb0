/** A name with a number before its extension: `cat (2).png`. */
export function numbered(name: string, n: number): string {
  return name.replace(/(?<=[^/])(\.[^./]*)?$/, ` (${n})$1`);
}
