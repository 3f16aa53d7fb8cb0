import fc from 'fast-check';
import { anyCharacter } from './any-character.js';

/** Names that have tripped others: of prototypes, like indexes, with separators, escapes and beyond ASCII. */
const attributeName = fc.oneof(
  fc.constantFrom(
    'a',
    'b',
    'c',
    'key',
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    '0',
    '1',
    '10',
    '-1',
  ),
  fc.constantFrom('a.b', 'a?lt', '"', '\\', '\u0001', '\u007f', 'é', '😀', '\u2028', '/', 'with space'),
  fc.string({ unit: anyCharacter, minLength: 1, maxLength: 6 }),
);

const digits = (length: number) =>
  fc
    .integer({ min: 1, max: 9 })
    .chain((first) =>
      fc
        .array(fc.integer({ min: 0, max: 9 }), { maxLength: length - 1 })
        .map((rest) => [first, ...rest].join('')),
    );

/** Texts of numbers that obey the rule in all of JSON's spellings, 17 digits of decimals among them. */
export const numberText = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.oneof(fc.constant('0'), digits(9)),
    fc.oneof(
      fc.constant(''),
      digits(8).map((text) => `.${text}`),
      fc.constant('.0'),
    ),
    fc.oneof(
      fc.constant(''),
      fc
        .tuple(fc.constantFrom('e', 'E', 'e+', 'e-'), fc.integer({ min: 0, max: 250 }))
        .map((e) => e.join('')),
    ),
  )
  .map((parts) => parts.join(''));

/** JSON text of any value, canonical: what `JSON.stringify` would write, but for the texts of numbers. */
export const canonicalJson = fc.letrec<{ value: string; object: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.constantFrom(
      'null',
      'true',
      'false',
      '""',
      '[]',
      '{}',
      '-0',
      '9007199254740993',
      '0.12345678901234567',
      '0.30000000000000004',
      '1.7976931348623157e308',
    ),
    fc.string({ unit: anyCharacter, maxLength: 12 }).map((text) => JSON.stringify(text)),
    numberText,
    fc.array(tie('value'), { maxLength: 4 }).map((list) => `[${list.join(',')}]`),
    tie('object'),
  ),
  object: fc
    .uniqueArray(fc.tuple(attributeName, tie('value')), { maxLength: 5, selector: ([name]) => name })
    .map((members) => `{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`),
}));

/** The same JSON, spelled as other clients do: with white space and escapes. */
export function respelled(json: string): string {
  const spaced = json.replace(/"(?:[^"\\]|\\.)*"|[,:]/g, (token) =>
    token.length > 1 ? token.replace(/[\u007f-\uffff]/g, escaped) : `${token} `,
  );
  return ` ${spaced}\n`;
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Bytes with some of them changed, taken out or put in twice. */
export function mutated(bytes: fc.Arbitrary<Buffer>): fc.Arbitrary<Buffer> {
  const change = fc.record({
    at: fc.nat(),
    kind: fc.constantFrom('replace', 'delete', 'repeat'),
    byte: fc.oneof(
      fc.constantFrom(...Buffer.from('"\\{}[],:0123456789.eE+-tfn \u0000')),
      fc.nat({ max: 255 }),
    ),
  });
  return fc.tuple(bytes, fc.array(change, { minLength: 1, maxLength: 3 })).map(([original, changes]) => {
    let result = original;
    for (const { at, kind, byte } of changes) {
      if (result.length === 0) break;
      const place = at % result.length;
      const middle =
        kind === 'replace'
          ? Buffer.of(byte)
          : kind === 'delete'
            ? Buffer.alloc(0)
            : result.subarray(place, place + 9);
      const behind = kind === 'repeat' ? place : place + 1;
      result = Buffer.concat([result.subarray(0, place), middle, result.subarray(behind)]);
    }
    return result;
  });
}
