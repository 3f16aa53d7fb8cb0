import { OperatorError } from '../operator-error.js';

/** Reads `--query`, a query as JSON. Throws `OperatorError`. */
export function readQueryOption(text: string): Readonly<Record<string, unknown>> {
  try {
    const query: unknown = JSON.parse(text);
    if (typeof query === 'object' && query !== null) return query as Readonly<Record<string, unknown>>;
  } catch {
    // As below.
  }
  throw new OperatorError(`--query ${text}: must be JSON, {"attribute":value}`);
}
