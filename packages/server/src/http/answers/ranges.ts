import rangeParser from 'range-parser';

/** Bytes `start` to `end`, both included, counted from 0. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** No real client requests more at once. A request with more gets the whole file, as RFC 9110, 14.2 allows. */
const maxRanges = 50;

/**
 * The ranges that a Range header asks for, of a file of `sizeBytes` bytes (docs/http.md#ranges). The whole file if
 * there is no header, or if it is malformed, has another unit or too many ranges. Ranges that overlap or touch become
 * one, so an answer is longer than the file only by its separators.
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

/** A suffix longer than the file means the whole file (RFC 9110, 14.1.2); range-parser refuses it. */
function withoutLongSuffixes(header: string, sizeBytes: number): string {
  return header.replace(/([=,]\s*)-(\d+)/g, (suffix, before, length) =>
    Number(length) > sizeBytes && sizeBytes > 0 ? `${before}0-` : suffix,
  );
}
