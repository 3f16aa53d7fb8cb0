import { compareDecimals } from '../json/decimal.js';
import { readPlainJson } from '../json/plain.js';
import { OperatorError } from '../operator-error.js';

/** Reads `--query`, a query as JSON, with every digit of its numbers. Throws `OperatorError`. */
export function readQueryOption(text: string): Readonly<Record<string, unknown>> {
  let query: unknown;
  try {
    query = readPlainJson(text, (number) => exactNumber(text, number));
  } catch (cause) {
    if (cause instanceof OperatorError) throw cause;
  }
  if (typeof query === 'object' && query !== null) return query as Readonly<Record<string, unknown>>;
  throw new OperatorError(`--query ${text}: must be JSON, {"attribute":value}`);
}

/** The number or BigInt that is written as this number. Another one would match other items. */
function exactNumber(query: string, text: string): number | bigint {
  if (/^-?\d+$/.test(text)) return BigInt(text);
  const number = Number(text);
  if (Number.isFinite(number) && compareDecimals(String(number), text) === 0) return number;
  throw new OperatorError(`--query ${query}: ${text} has more digits than a 64-bit float`);
}
