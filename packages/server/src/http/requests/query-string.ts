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

/** Reads the text after the `?`. Names are decoded once, when a route asks for the first one; values when they are asked for. */
export function parseQueryString(text: string): QueryString {
  let pairs: readonly Pair[] | undefined;
  const read = () => {
    pairs ??= text.split('&').map(pairOf);
    return pairs;
  };
  return {
    get(name) {
      for (const pair of read()) {
        const value = valueIn(pair, name);
        if (value !== undefined) return value;
      }
      return undefined;
    },
    all: (name) => read().flatMap((pair) => valueIn(pair, name) ?? []),
  };
}

/** The value of a pair with this name; undefined if it has another one. */
function valueIn(pair: Pair, name: string): string | undefined {
  if (pair.name !== undefined && pair.name !== name) return undefined;
  const value = pair.name === undefined ? undefined : decode(pair.rawValue);
  if (value === undefined)
    throw badField(name, 'invalid_encoding', 'its percent-encoded bytes are not UTF-8');
  return value;
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
