import rangeParser from 'range-parser';

/** Bytes `start` to `end`, both included, counted from 0. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** Nobody who reads a file asks for more at once; who does gets the whole file, as RFC 9110, 14.2 allows. */
const maxRanges = 50;

/**
 * What a Range header asks of `sizeBytes` bytes: the whole when there is none, or it is malformed, of another
 * unit or of too many ranges. Ranges that overlap or touch become one, so an answer is never longer than the file
 * but for its separators.
 */
export function parseRanges(
  header: string | undefined,
  sizeBytes: number,
): 'whole' | 'unsatisfiable' | readonly Range[] {
  if (header === undefined || header.split(',').length > maxRanges) return 'whole';
  const ranges = rangeParser(sizeBytes, withoutLongSuffixes(header, sizeBytes), { combine: true });
  if (ranges === -2) return 'whole';
  if (ranges === -1) return isBytes(header) ? 'unsatisfiable' : 'whole';
  return isBytes(ranges.type) ? ranges : 'whole';
}

function isBytes(text: string): boolean {
  return /^\s*bytes\s*(=|$)/i.test(text);
}

/** "If the selected representation is shorter than the suffix, it is used whole"; range-parser refuses it. */
function withoutLongSuffixes(header: string, sizeBytes: number): string {
  return header.replace(/([=,]\s*)-(\d+)/g, (suffix, before, length) =>
    Number(length) > sizeBytes && sizeBytes > 0 ? `${before}0-` : suffix,
  );
}
