import type { Random } from '../random.js';
import { mutateBytes } from './byte-mutations.js';

const deep = (open: string, levels: number, close = '') =>
  open.repeat(levels) + (close === '' ? '' : close.repeat(levels));

/** Values, some of them not valid JSON, that replace an expected value. */
const values = [
  'null',
  'true',
  '0',
  '-0',
  '""',
  '[]',
  '{}',
  '[[]]',
  '[{}]',
  '1e400',
  '-1e-400',
  '12345678901234567',
  '9007199254740993',
  '0.1234567890123456789',
  '1.0000000000000000',
  '01',
  '1.',
  '.5',
  '+1',
  '1e',
  'NaN',
  'Infinity',
  'undefined',
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"\\u0000"',
  '"\\u00"',
  '"\\x41"',
  '"\u0001"',
  "'a'",
  '{"a":1,"a":2}',
  '{"":1}',
  '{"__proto__":{"polluted":true}}',
  '{"constructor":{"prototype":{"polluted":1}}}',
  '{"a.b":1}',
  '{"a":1,}',
  '[1,]',
  '{"key":"a","__expires":"soon"}',
  '{"key":"a","__expires":1e15}',
  '{"key":"a","__expires":-1}',
  '{"key":7}',
  '{"query":[{"key?r":["b"]}]}',
  '{"query":[{"?":1}]}',
  '{"query":[{"a?what":1}]}',
  '{"limit":1.5}',
  '{"last":{}}',
  '{"sort":"up"}',
  '{"set":{"key":"x"}}',
  '{"set":{"a":1,"a.b":2}}',
  '{"increment":{"text":1}}',
  '{"append":{"number":[1]}}',
  '{"delete":["a..b","",".","a."]}',
  '{"operations":[{"put":{"key":"a"}},{"check":{"key":"b","if":7}}]}',
  '{"operations":[{"update":{"key":"a","if":[{"a?r":1}],"set":{"a":1}}}]}',
  '{"if":{"key?ne":"a"},"set":{"a":1}}',
  '/*c*/1',
  '1 2',
  '\ufeff{}',
];
const keysOfBodies = [
  'items',
  'item',
  'set',
  'increment',
  'append',
  'prepend',
  'delete',
  'query',
  'names',
  'operations',
  'if',
];

/** A wrong body: sometimes still valid JSON, sometimes not even text. */
export function badJson(random: Random, good: Buffer): Buffer {
  switch (random.int(9)) {
    case 0:
      return mutateBytes(random, good);
    case 1:
      return good.subarray(0, random.int(good.length + 1));
    case 2:
      return Buffer.from(random.pick(values));
    case 3:
      return Buffer.from(`{"${random.pick(keysOfBodies)}":${random.pick(values)}}`);
    case 4:
      return Buffer.from(`{"items":[${random.pick(values)},{"key":${random.pick(values)}}]}`);
    case 5:
      return replaceValue(random, good);
    case 6:
      return Buffer.from([0x7b, 0x22, random.int(256), random.int(256), 0x22, 0x3a, 0x31, 0x7d]);
    case 7:
      return random.int(20) === 0 ? deepBody(random) : Buffer.from(deep('[', random.int(200), ']'));
    default:
      return Buffer.from(`{"item":{"key":"n","a":${number(random)}}}`);
  }
}

/** Replaces one value of valid JSON by another. */
function replaceValue(random: Random, good: Buffer): Buffer {
  const text = good.toString();
  const places = [...text.matchAll(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?|null|\[|\{/g)];
  if (places.length === 0) return Buffer.from(random.pick(values));
  const { 0: found, index } = random.pick(places);
  return Buffer.from(text.slice(0, index) + random.pick(values) + text.slice(index + found.length));
}

function deepBody(random: Random): Buffer {
  const levels = 1 + random.int(100_000);
  return Buffer.from(
    random.pick([
      () => deep('[', levels),
      () => deep('{"a":', levels),
      () => `{"items":[{"key":"a","v":${deep('[', levels, ']')}}]}`,
      () => `{"item":${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}}`,
      () => `{"query":${deep('[{"a":', levels)}`,
    ])(),
  );
}

function number(random: Random): string {
  const digits = Array.from({ length: 1 + random.int(30) }, () => random.int(10)).join('');
  return `${random.pick(['', '-'])}${digits}${random.pick(['', `.${digits}`, `e${digits}`, `E-${digits}`])}`;
}
