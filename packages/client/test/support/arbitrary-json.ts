import fc from 'fast-check';
import { anyCharacter } from './any-character.js';

const name = fc.oneof(
  fc.constantFrom(
    'a',
    'key',
    '__proto__',
    'constructor',
    '0',
    'a.b',
    'a?lt',
    '"',
    '\\',
    '\u0001',
    '😀',
    '\u2028',
  ),
  fc.string({ unit: anyCharacter, minLength: 1, maxLength: 6 }),
);
/** Texts that JavaScript would not write for these numbers. */
const exactNumber = fc.constantFrom(
  '1.50',
  '-0',
  '9007199254740993',
  '0.12345678901234567',
  '1.7976931348623157e308',
  '1E-7',
);

/** JSON texts of objects, without white space. Numbers keep every digit and zero. */
export const { object: objectJson } = fc.letrec<{ value: string; object: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.constantFrom('null', 'true', 'false', '""', '[]', '{}'),
    exactNumber,
    fc.string({ unit: anyCharacter, maxLength: 12 }).map((text) => JSON.stringify(text)),
    fc.integer().map(String),
    fc.array(tie('value'), { maxLength: 4 }).map((list) => `[${list.join(',')}]`),
    tie('object'),
  ),
  object: fc
    .uniqueArray(fc.tuple(name, tie('value')), { maxLength: 5, selector: ([attribute]) => attribute })
    .map((members) => `{${members.map(([of, value]) => `${JSON.stringify(of)}:${value}`).join(',')}}`),
}));
