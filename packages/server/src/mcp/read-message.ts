import { readPlainJson } from '../json/plain.js';

/** A backslash in a name or a string, however it is written. */
const backslash = /\\\\|\\u005c/i;

/**
 * The message of a client; undefined for a text that is no JSON. Its names are what was sent: in Node 24 and 26, a name with a
 * backslash that `JSON.parse` has read comes in place of some others (nodejs/node#63785), so it reads none.
 */
export function readMessage(text: string): unknown {
  if (!backslash.test(text)) return parsed(text, JSON.parse);
  // A character that is no Unicode is for the service to refuse.
  return parsed(text, readPlainJson) ?? parsed(text, JSON.parse);
}

function parsed(text: string, read: (text: string) => unknown): unknown {
  try {
    return read(text);
  } catch {
    return undefined;
  }
}
