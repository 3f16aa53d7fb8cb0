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

/** Reads the text after the `?`. Nothing is decoded before a route asks for it. */
export function parseQueryString(text: string): QueryString {
  return {
    get(name) {
      for (const pair of text.split('&')) {
        const value = valueIn(pair, name);
        if (value !== undefined) return value;
      }
      return undefined;
    },
    all: (name) => text.split('&').flatMap((pair) => valueIn(pair, name) ?? []),
  };
}

/** The value of a pair with this name; undefined if it has another one. */
function valueIn(pair: string, name: string): string | undefined {
  const at = pair.indexOf('=');
  const rawName = at === -1 ? pair : pair.slice(0, at);
  if (rawName !== name && decode(name, rawName) !== name) return undefined;
  return at === -1 ? '' : decode(name, pair.slice(at + 1));
}

function decode(name: string, raw: string): string {
  const text = raw.includes('+') ? raw.replaceAll('+', ' ') : raw;
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text.replace(/%(?![0-9a-fA-F]{2})/g, '%25'));
  } catch (cause) {
    if (cause instanceof URIError)
      throw badField(name, 'invalid_encoding', 'its percent-encoded bytes are not UTF-8');
    throw cause;
  }
}
