/** One request that asks for as much work as a careless server would do for it. */
export interface HostileRequest {
  readonly name: string;
  readonly method: 'PUT' | 'POST' | 'PATCH' | 'DELETE';
  /** Below the base, or the drive of the same name. */
  readonly path: string;
  /** The content type; default: JSON. */
  readonly type?: string;
  readonly body: () => string;
  /** These items are put into the base before, in as many requests as needed. */
  readonly items?: () => readonly string[];
}

const maxItemBytes = 400 * 1024;
const maxBodyBytes = 16 * 1024 * 1024;
const maxDeleteBodyBytes = 8 * 1024 * 1024;

/** `text`, repeated with commas as often as it fits into `bytes`. */
function filled(bytes: number, text: string): string {
  return Array(Math.max(1, Math.floor(bytes / (text.length + 1))))
    .fill(text)
    .join(',');
}

const listed = (count: number, make: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => make(n)).join();

/** An item of nearly `maxItemBytes` with the attribute `a`. */
const largeItem = (value: (bytes: number) => string, key = 'k') =>
  `{"key":"${key}","a":${value(maxItemBytes - 64)}}`;
const denseList = (bytes: number) => `[${filled(bytes, '0')}]`;
const denseObjects = (bytes: number) => `[${filled(bytes, '{"a":1}')}]`;
const manyMembers = (bytes: number) =>
  `{${listed(Math.floor(bytes / 11), (n) => `"${String(n).padStart(6, '0')}":1`)}}`;
const longText = (bytes: number) => `"${'a'.repeat(bytes)}"`;
const escapedText = (bytes: number) => `"${'\\n'.repeat(bytes / 2)}"`;
const nested = (bytes: number) => `${'['.repeat(98)}${filled(bytes - 200, '0')}${']'.repeat(98)}`;

/** `scale` 1 fills what the limits of the API allow (16 MiB a body, 400 KiB an item) and what attacks have used. */
export function hostileRequests(scale: number): readonly HostileRequest[] {
  const count = (most: number) => Math.max(1, Math.round(most * scale));
  const bodyBytes = count(maxBodyBytes - 1024);
  return [
    ...writes(count, bodyBytes),
    ...updates(count, bodyBytes),
    ...transactions(count, bodyBytes),
    ...queries(count, bodyBytes),
    ...deletedNames(count(maxDeleteBodyBytes - 1024)),
    ...importedLines(count),
  ];
}

type Count = (most: number) => number;

function writes(count: Count, bodyBytes: number): HostileRequest[] {
  const put = (name: string, body: () => string): HostileRequest => ({
    name,
    method: 'PUT',
    path: '/items',
    body,
  });
  const items =
    (value: (bytes: number) => string, separator = ',') =>
    () =>
      `{"items":[${Array.from({ length: 25 }, (_, n) => largeItem((bytes) => value(count(bytes)), `k${n}`)).join(separator)}]}`;
  const inOneItem = (value: string) => `{"items":[{"key":"k","a":${value}}]}`;
  return [
    put('25 items of 400 KiB of zeros', items(denseList)),
    put('25 items of 400 KiB of zeros, not canonical', items(denseList, ', ')),
    put('25 items of 400 KiB of small objects', items(denseObjects)),
    put('25 items of 400 KiB of small objects, not canonical', items(denseObjects, ', ')),
    put('25 items of many attributes', items(manyMembers)),
    put('25 items of many attributes, not canonical', items(manyMembers, ', ')),
    put('25 items nested 100 deep, not canonical', items(nested, ', ')),
    put('25 items of escapes, not canonical', items(escapedText, ', ')),
    put('25 items of escaped letters', () => {
      const item = (n: number) => `{"key":"k${n}","a":"${'\\u0061'.repeat(bodyBytes / 6 / 26)}"}`;
      return `{"items":[${listed(25, item)}]}`;
    }),
    put('digits of a number', () => inOneItem(`1${'7'.repeat(bodyBytes - 64)}`)),
    put('zeros behind the point', () => inOneItem(`1.${'0'.repeat(bodyBytes - 64)}`)),
    put('an item of small objects', () => inOneItem(denseObjects(bodyBytes))),
    put('an item of zeros', () => inOneItem(denseList(bodyBytes))),
    put('an item of many attributes', () => inOneItem(manyMembers(bodyBytes))),
    put('millions of items', () => `{"items":[${filled(bodyBytes, '{}')}]}`),
    put(
      'millions of values beside the items',
      () => `{"x":[${filled(bodyBytes, '{"a":1}')}],"items":[{"key":"k"}]}`,
    ),
    put('one long text', () => inOneItem(longText(bodyBytes - 64))),
    put('one long text of escapes', () => inOneItem(escapedText(bodyBytes - 64))),
    put('white space', () => `{"items":${' '.repeat(bodyBytes - 64)}[{"key":"k"}]}`),
    put('lists that never end', () => '['.repeat(bodyBytes)),
    put('objects that never end', () => filled(bodyBytes, '{"a":').replaceAll(',', '')),
    {
      name: 'insert of millions of values',
      method: 'POST',
      path: '/items',
      body: () => `{"item":{"key":"new","a":${denseObjects(bodyBytes)}}}`,
    },
  ];
}

function updates(count: Count, bodyBytes: number): HostileRequest[] {
  const update = (name: string, body: () => string, items: () => readonly string[]): HostileRequest => ({
    name,
    method: 'PATCH',
    path: '/items/k',
    body,
    items,
  });
  const small = () => ['{"key":"k","n":1}'];
  const deep = (n: number) => `"p${n}${'.a'.repeat(99)}"`;
  return [
    update('an update of paths of 100 segments', () => `{"delete":[${listed(count(75_000), deep)}]}`, small),
    update(
      'an update of a thousand paths of 100 segments',
      () => `{"delete":[${listed(count(1000), deep)}]}`,
      small,
    ),
    update(
      'an update of one path of millions of segments',
      () => `{"delete":["a${'.a'.repeat(bodyBytes / 2 - 64)}"]}`,
      small,
    ),
    update(
      'an update of many short paths',
      () => `{"delete":[${listed(count(1_000_000), (n) => `"${n}"`)}]}`,
      small,
    ),
    update(
      'one attribute of a dense item',
      () => '{"set":{"b":1}}',
      () => [largeItem(denseList)],
    ),
    update(
      'one attribute of an item of small objects',
      () => '{"set":{"b":1}}',
      () => [largeItem(denseObjects)],
    ),
    update(
      'one attribute of an item of many',
      () => '{"set":{"b":1}}',
      () => [largeItem(manyMembers)],
    ),
    update(
      'increments of ten thousand elements',
      () => `{"increment":{${listed(count(10_000), (n) => `"a.${n}":1`)}}}`,
      () => [largeItem(denseList)],
    ),
    update(
      'an append to a long list',
      () => `{"append":{"a":${denseList(count(180_000))}}}`,
      () => [largeItem((bytes) => denseList(bytes / 2))],
    ),
    update('a set of millions of values', () => `{"set":{"a":${denseObjects(bodyBytes)}}}`, small),
  ];
}

function transactions(count: Count, bodyBytes: number): HostileRequest[] {
  const transaction = (
    name: string,
    operations: () => string,
    items: () => readonly string[] = () => [],
  ): HostileRequest => ({
    name,
    method: 'POST',
    path: '/transactions',
    body: () => `{"operations":[${operations()}]}`,
    items,
  });
  const onEach = (most: number, make: (key: string) => string) => () =>
    listed(count(most), (n) => make(`"key":"k${n}"`));
  const itemsOf = (most: number, value: (bytes: number) => string) => () =>
    Array.from({ length: count(most) }, (_, n) => largeItem(value, `k${n}`));
  const update = (key: string) => `{"update":{${key},"if":{"b":null},"set":{"b":1}}}`;
  const contains = (n: number) => `{"a?contains":"${'a'.repeat(20)}${n}"}`;
  return [
    transaction('100 updates of items of 400 KiB', onEach(100, update), itemsOf(100, longText)),
    transaction('40 updates of items of zeros', onEach(40, update), itemsOf(40, denseList)),
    transaction('40 updates of items of small objects', onEach(40, update), itemsOf(40, denseObjects)),
    transaction('40 updates of items of many attributes', onEach(40, update), itemsOf(40, manyMembers)),
    transaction(
      '100 updates of one item of many attributes',
      () => listed(count(100), (n) => `{"update":{"key":"k0","set":{"b":${n}}}}`),
      itemsOf(1, manyMembers),
    ),
    transaction(
      '1000 ?contains in 40 items',
      onEach(40, (key) => `{"check":{${key},"if":[${listed(24, contains)},{"b":null}]}}`),
      itemsOf(40, longText),
    ),
    transaction(
      '1000 ?contains in one item, and 99 updates of it',
      () =>
        `{"check":{"key":"k0","if":[${listed(999, contains)},{"b":null}]}},${listed(count(99), (n) => `{"update":{"key":"k0","set":{"b":${n}}}}`)}`,
      itemsOf(1, longText),
    ),
    transaction('an update of millions of values', () =>
      listed(2, () => `{"update":{"key":"k0","set":{"a":${denseObjects(bodyBytes / 2)}}}}`),
    ),
    transaction('updates of many values each', () =>
      listed(100, (n) => `{"update":{"key":"k${n}","set":{"a":${denseList(bodyBytes / 110)}}}}`),
    ),
    transaction('checks of dense operands', () =>
      listed(100, (n) => `{"check":{"key":"k${n}","if":{"a":${denseList(bodyBytes / 110)}}}}`),
    ),
    transaction(
      '40 puts of items of zeros',
      onEach(40, (key) => `{"put":{${key},"a":${denseList(maxItemBytes - 64)}}}`),
    ),
    transaction('millions of operations', () => filled(bodyBytes, '{}')),
    transaction('an item of millions of members', () => `{"put":${manyMembers(bodyBytes * 0.9)}}`),
  ];
}

function queries(count: Count, bodyBytes: number): HostileRequest[] {
  const query = (name: string, body: () => string, items: () => readonly string[]): HostileRequest => ({
    name,
    method: 'POST',
    path: '/query',
    body: () => `{"query":${body()}}`,
    items,
  });
  const text = () => [largeItem(longText), largeItem(longText, 'k2')];
  const escaped = () => [largeItem(escapedText), largeItem(escapedText, 'k2')];
  const members = () => [largeItem(manyMembers), largeItem(manyMembers, 'k2')];
  const list = () => [largeItem(denseList), largeItem(denseList, 'k2')];
  const texts = () => [largeItem((bytes) => `[${filled(bytes, '"ab"')}]`)];
  const rows = () => Array.from({ length: 2000 }, (_, n) => `{"key":"k${n}","n":${n}}`);
  const whole = (name: string, body: () => string, items: () => readonly string[]): HostileRequest => ({
    ...query(name, body, items),
    body,
  });
  const ored = (conditions: number, make: (n: number) => string) =>
    `[${listed(count(conditions), (n) => `{${make(n)}}`)}]`;
  const contains = (length: number) => `"a?contains":"${'a'.repeat(100)}b${'a'.repeat(length)}"`;
  return [
    query('10,000 conditions', () => ored(10_000, (n) => `"a":${n}`), text),
    query('100,000 conditions', () => ored(100_000, (n) => `"a":${n}`), text),
    query('1000 paths', () => ored(1000, (n) => `"a.x${n}":1`), members),
    query('1000 deep paths', () => ored(1000, (n) => `"a.${n}${'.a'.repeat(98)}":1`), members),
    query('1000 elements of a list', () => ored(1000, (n) => `"a.${190_000 + n}":1`), list),
    query('1000 conditions, many small items', () => ored(1000, (n) => `"n":-${n}`), rows),
    query(
      '1000 ?contains of 20 letters',
      () => ored(1000, (n) => `"a?contains":"${'a'.repeat(20)}${n}"`),
      text,
    ),
    query('1000 ?contains in escaped text', () => ored(1000, (n) => `"a?contains":"\\n${n}"`), escaped),
    query('1000 ?contains in a list', () => ored(1000, (n) => `"a?contains":"${n}"`), texts),
    query('1000 ANDed elements of a list', () => `{${listed(count(1000), (n) => `"a.${n}?ne":1`)}}`, list),
    whole('an order of long texts', () => '{"order":["a"],"count":true}', text),
    whole('an order of many items', () => '{"order":["-n","x"],"offset":1000}', rows),
    whole(
      'a select of 100,000 paths',
      () => `{"select":[${listed(count(100_000), (n) => `"a${n}"`)}]}`,
      rows,
    ),
    whole(
      'a select of 1000 deep paths',
      () => `{"select":[${listed(count(1000), (n) => `"a.${n}${'.a'.repeat(98)}"`)}]}`,
      members,
    ),
    whole('a select of elements', () => `{"select":[${listed(count(1000), (n) => `"a.${190 * n}"`)}]}`, list),
    whole('a long last', () => `{"order":["a"],"last":"${'W1tb'.repeat(bodyBytes / 4 - 64)}"}`, rows),
    query(
      '1000 ?in of 100 values',
      () => ored(1000, (n) => `"n?in":[${listed(100, (m) => `-${n + m}`)}]`),
      rows,
    ),
    query('a ?in of a million', () => `{"n?in":[${listed(count(1_000_000), (n) => `${n}`)}]}`, rows),
    query('100 ?has in a dense list', () => ored(100, (n) => `"a?has":${n + 1}.5`), list),
    query('1000 ?has in a list of texts', () => ored(1000, (n) => `"a?has":"${n}"`), texts),
    query('?icontains of 20 KB', () => `{${contains(count(20_000)).replace('?', '?i')}}`, text),
    query(
      '1000 ?icontains in text that is not ASCII',
      () => ored(1000, (n) => `"a?icontains":"Ä${n}"`),
      () => [largeItem((bytes) => `"${'äİ'.repeat(bytes / 4)}"`)],
    ),
    query('?contains of 20 KB', () => `{${contains(count(20_000))}}`, text),
    query('?contains of 200 KB', () => `{${contains(count(200_000))}}`, text),
    query('?contains of 16 MiB', () => `{${contains(bodyBytes - 200)}}`, text),
    query('equal to a dense list', () => `{"a":${denseList(maxItemBytes - 64).replace(/0\]$/, '1]')}}`, list),
    query(
      'equal to a dense list, other spelling',
      () => `{"a":${denseList(maxItemBytes - 64).replaceAll('0', '0.0')}}`,
      list,
    ),
    query('equal to many attributes', () => `{"a":${manyMembers(maxItemBytes - 64)}}`, members),
    query('equal to millions of values', () => `{"a":${denseObjects(bodyBytes - 64)}}`, list),
    query('a long number', () => `{"a?gt":1.${'0'.repeat(bodyBytes - 64)}}`, rows),
    query('a path of millions of segments', () => `{"a${'.a'.repeat(bodyBytes / 2 - 64)}":1}`, rows),
    query('objects without conditions', () => `[${filled(bodyBytes, '{}')}]`, rows),
    query(
      'large conditions on the key',
      () => {
        const operand = `["a",${denseList(count(60_000))}]`;
        return `[${listed(count(100), () => `{"key?r":${operand}}`)}]`;
      },
      rows,
    ),
  ];
}

/** Bodies of Delete Files. */
function deletedNames(bodyBytes: number): HostileRequest[] {
  const remove = (name: string, body: () => string): HostileRequest => ({
    name: `Delete Files: ${name}`,
    method: 'DELETE',
    path: '/files',
    body,
  });
  const names = (make: (n: number) => string) => () => `{"names":["a",${listed(999, make)}]}`;
  const beside = (value: () => string) => () => `{"names":["a"],"x":${value()}}`;
  const perName = Math.floor(bodyBytes / 1000) - 64;
  return [
    remove(
      '1000 names',
      names((n) => `"${n}"`),
    ),
    remove(
      '999 bad names',
      names((n) => `"${n}${'a'.repeat(perName)}"`),
    ),
    remove(
      '999 bad names of escapes',
      names((n) => `"${n}${'\\n'.repeat(perName / 2)}"`),
    ),
    remove(
      '8 bad names',
      () => `{"names":["a",${listed(8, (n) => `"${n}${'a'.repeat(bodyBytes / 8 - 64)}"`)}]}`,
    ),
    remove('one bad name', () => `{"names":["a","${'a'.repeat(bodyBytes - 64)}"]}`),
    remove('one bad name of escapes', () => `{"names":["a","${'\\n'.repeat(bodyBytes / 2 - 64)}"]}`),
    remove('one blank name', () => `{"names":["a","${' '.repeat(bodyBytes - 64)}"]}`),
    remove('millions of names', () => `{"names":[${filled(bodyBytes - 64, '"a"')}]}`),
    remove('millions of objects', () => `{"names":[${filled(bodyBytes - 64, '{"a":1}')}]}`),
    remove(
      'millions of values',
      beside(() => denseObjects(bodyBytes - 64)),
    ),
    remove(
      'millions of members',
      beside(() => manyMembers(bodyBytes - 64)),
    ),
    remove(
      'lists that never end',
      beside(() => '['.repeat(bodyBytes - 64)),
    ),
    remove(
      'digits',
      beside(() => '7'.repeat(bodyBytes - 64)),
    ),
  ];
}

/** Bodies of Import Items. Each refused line has a line in the answer, so the number of lines is kept small. */
function importedLines(count: Count): HostileRequest[] {
  const lines = (name: string, line: string, most: number): HostileRequest => ({
    name: `Import Items: ${name}`,
    method: 'PUT',
    path: '/items',
    type: 'application/x-ndjson',
    body: () => `${line}\n`.repeat(count(most)),
  });
  return [
    lines('refused lines of a byte', '{', 100_000),
    lines('small items', '{"a":1}', 100_000),
    lines('empty lines', '', maxBodyBytes),
  ];
}
