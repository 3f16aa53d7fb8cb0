import { badField } from '../../request-error.js';

/** The parameters of a URL: docs/http.md#query-strings. */
export interface QueryString {
  /**
   * The decoded value, or undefined when the parameter is absent. `+` and `%20` both mean a space. A `%` that
   * begins no escape is kept as it is, because some clients do not encode. Throws a 400 `RequestError` that names the
   * parameter if the bytes are not UTF-8. The first of several with this name counts.
   */
  get(name: string): string | undefined;
  /** The decoded values of all parameters with this name. Throws as `get` does. */
  all(name: string): readonly string[];
}

interface Pair {
  /** Undefined if its bytes are not UTF-8. */
  readonly name: string | undefined;
  readonly rawValue: string;
}

/** Reads the text after the `?`. Names are decoded once, when a route asks for the first, and values when they are asked for. */
export function parseQueryString(text: string): QueryString {
  let read: readonly Pair[] | undefined;

  /** Calls `take` with each value of this name, until it gives true. */
  function find(name: string, take: (value: string) => boolean): void {
    read ??= text.split('&').map(pairOf);
    for (const pair of read) {
      if (pair.name === undefined) throw invalidEncoding(name);
      if (pair.name !== name) continue;
      const value = decode(pair.rawValue);
      if (value === undefined) throw invalidEncoding(name);
      if (take(value)) return;
    }
  }

  return {
    get(name) {
      let first: string | undefined;
      find(name, (value) => {
        first = value;
        return true;
      });
      return first;
    },
    all(name) {
      const values: string[] = [];
      find(name, (value) => values.push(value) === 0);
      return values;
    },
  };
}

function pairOf(pair: string): Pair {
  const at = pair.indexOf('=');
  return at === -1
    ? { name: decode(pair), rawValue: '' }
    : { name: decode(pair.slice(0, at)), rawValue: pair.slice(at + 1) };
}

/** Undefined if the bytes are not UTF-8. */
function decode(raw: string): string | undefined {
  const text = raw.includes('+') ? raw.replaceAll('+', ' ') : raw;
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text.replace(/%(?![0-9a-fA-F]{2})/g, '%25'));
  } catch (cause) {
    if (cause instanceof URIError) return undefined;
    throw cause;
  }
}

function invalidEncoding(name: string) {
  return badField(name, 'invalid_encoding', 'its percent-encoded bytes are not UTF-8');
}
