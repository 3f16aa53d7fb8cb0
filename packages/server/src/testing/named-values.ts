import { type Parse, WrongValue } from '../config/values.js';

/** The value of a member that must be text. Throws `WrongValue`, which names the member. */
export function textOf(name: string, value: unknown): string {
  if (typeof value === 'string') return value;
  throw new WrongValue('', `${name}: must be text`);
}

/** A member that is text in the form of a setting. Throws `WrongValue`, which names the member and the rule. */
export function parsedText<T>(name: string, value: unknown, parse: Parse<T>): T {
  const given = textOf(name, value);
  try {
    return parse([given]);
  } catch (cause) {
    if (!(cause instanceof WrongValue)) throw cause;
    throw new WrongValue(given, `${name}: ${cause.message}`);
  }
}

/** Refuses a member that nothing reads: its name is misspelled. `what` names the object. Throws `WrongValue`. */
export function refuseUnknown(what: string, given: object, known: readonly string[]): void {
  const name = Object.keys(given).find((each) => !known.includes(each));
  if (name === undefined) return;
  const rule = known.length === 0 ? 'must have no members' : `${name} is not one of ${known.join(', ')}`;
  throw new WrongValue(name, `${what}: ${rule}`);
}
