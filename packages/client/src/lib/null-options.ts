/**
 * The same calls, for which `null` in place of their options means none, as in npm `deta`. Options are the parameters with a
 * default value, which `length` does not count: a value that may be null has none.
 */
export function withNullOptions<Calls extends object>(calls: Calls): Calls {
  for (const [name, call] of Object.entries(calls)) {
    if (typeof call === 'function')
      (calls as Record<string, unknown>)[name] = (...given: unknown[]) =>
        call(...given.map((one, at) => (at < call.length ? one : (one ?? undefined))));
  }
  return calls;
}
