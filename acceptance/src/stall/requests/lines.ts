import { denseList, denseObjects, largeItem, listed, longText, manyMembers, maxBodyBytes } from './bodies.js';
import { type Count, type HostileRequest, must, type Place } from './hostile-request.js';
import { built } from './indexes.js';

const maxLineBytes = 1200 * 1024;

/** Bodies of Import Items, and an export. */
export function lines(count: Count): HostileRequest[] {
  const body = (name: string, method: 'PUT' | 'POST', make: () => string): HostileRequest => ({
    name: `Import Items: ${name}`,
    method,
    path: '/items',
    type: 'application/x-ndjson',
    body: make,
  });
  const repeated = (name: string, line: string, most: number) =>
    body(name, 'PUT', () => `${line}\n`.repeat(count(most)));
  const large = (value: (bytes: number) => string, separator = ',') =>
    Array.from({ length: count(10) }, (_, n) => largeItem(value, `k${n}`).replaceAll(',', separator)).join(
      '\n',
    );
  const small = () => Array.from({ length: count(5000) }, (_, n) => `{"key":"k${n}","n":${n}}`);
  /** Lines of a few bytes whose keys are those of stored items of 400 KiB, again and again. */
  const ofLarge = (times: number) => () =>
    Array.from({ length: times * largeItems }, (_, n) => `{"key":"k${n % largeItems}"}`).join('\n');
  const largeItems = count(300);
  const stored = () => Array.from({ length: largeItems }, (_, n) => largeItem(longText, `k${n}`));
  const indexed = async ({ base }: Place) => {
    await must(202, base.sendText('PUT', '/indexes/i', '{"fields":["n"]}'));
    await built({ base });
  };
  return [
    repeated('refused lines of a byte', '{', 100_000),
    repeated('refused lines that are no items', '[1]', 100_000),
    repeated('refused keys', '{"key":7}', 50_000),
    repeated('small items', '{"a":1}', 100_000),
    repeated('small items, not canonical', ' { "b" : 1.0 , "a" : [ ] } ', 50_000),
    repeated('one key again and again', '{"key":"k"}', 50_000),
    repeated('empty lines', '', maxBodyBytes),
    repeated('lines of white space', ' '.repeat(1000), 16_000),
    repeated('lines with a carriage return', '\r', maxBodyBytes / 2),
    repeated('lines that are too long', `"${'a'.repeat(maxLineBytes)}"`, 12),
    repeated('lines of lists that never end', '['.repeat(maxLineBytes - 1), 12),
    repeated('lines of objects that never end', '{"a":'.repeat(maxLineBytes / 5 - 1), 12),
    repeated('lines of digits', `{"a":${'7'.repeat(maxLineBytes - 16)}}`, 12),
    repeated('lines of escapes', `{"a":"${'\\u0061'.repeat(65_000)}"}`, 40),
    repeated('items of too many values', `{"a":${denseList(maxLineBytes - 16)}}`, 12),
    body('items of zeros', 'PUT', () => large(denseList)),
    body('items of zeros, not canonical', 'PUT', () => large(denseList, ' , ')),
    body('items of small objects', 'PUT', () => large(denseObjects)),
    body('items of many attributes, not canonical', 'PUT', () => large(manyMembers, ' ,')),
    body('one line without an end', 'PUT', () => `{"a":"${'a'.repeat(maxBodyBytes)}`),
    { ...body('keys of large items that exist', 'POST', ofLarge(5)), items: stored },
    { ...body('large items replaced, with an index', 'PUT', ofLarge(1)), items: stored, prepare: indexed },
    { ...body('keys that exist', 'POST', () => small().join('\n')), items: small },
    {
      ...body('bytes that are not UTF-8', 'PUT', () => `${listed(count(1000), () => `{"a":"\\ud800"}\n`)}`),
    },
    { name: 'Export Items: many small items', method: 'GET', path: '/items', items: small },
    {
      name: 'Export Items: items of zeros',
      method: 'GET',
      path: '/items',
      items: () => Array.from({ length: count(20) }, (_, n) => largeItem(denseList, `k${n}`)),
    },
  ];
}
