import { denseList, filled, largeItem, listed, longText, manyMembers, maxItemBytes } from './bodies.js';
import { type Count, type HostileRequest, must, type Place } from './hostile-request.js';

/** The indexes of `declared`, each over these fields, and ready. */
const ready =
  (...declared: readonly (readonly string[])[]) =>
  async ({ base }: Place): Promise<void> => {
    for (const [n, fields] of declared.entries()) {
      await must(202, base.sendText('PUT', `/indexes/i${n}`, JSON.stringify({ fields })));
    }
    await built({ base });
  };

/** Resolves when no index is being built. */
export async function built({ base }: Pick<Place, 'base'>): Promise<void> {
  for (;;) {
    const { text } = await must(200, base.sendText('GET', '/indexes', ''));
    if (!text.includes('"building"')) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function declare(
  name: string,
  body: () => string,
  items: () => readonly string[] = () => [],
  path = '/indexes/i',
): HostileRequest {
  return { name: `Declare Index: ${name}`, method: 'PUT', path, body, items, after: built };
}

const four = ['a', 'b', 'c', 'd'];
const eight = ready(...Array.from({ length: 8 }, (_, n) => four.map((field) => `${field}${n}`)));
/** An item with a long text for each field of the eight indexes. */
const texts = (n: number) =>
  `{"key":"k${n}",${listed(8, (index) => four.map((field) => `"${field}${index}":"${'ä'.repeat(1000)}"`).join())}}`;

/** So many indexes of the elements of one list, and items that have as many entries in each as there can be. */
const ofList =
  (indexes: number) =>
  async ({ base }: Place): Promise<void> => {
    for (let n = 0; n < indexes; n++) {
      await must(202, base.sendText('PUT', `/indexes/i${n}`, '{"fields":["l"],"each":true}'));
    }
    await built({ base });
  };
const ofLists = ofList(8);
const lists = (n: number) => `{"key":"k${n}","l":[${listed(1000, (element) => `${element}`)}]}`;

/** Eight indexes, half of them of this kind each, over `l` and other fields. */
const half =
  (unique: (n: number) => string): HostileRequest['prepare'] =>
  async ({ base }) => {
    for (let n = 0; n < 4; n++) {
      await must(202, base.sendText('PUT', `/indexes/i${n}`, '{"fields":["l"],"each":true}'));
      await must(202, base.sendText('PUT', `/indexes/u${n}`, `{"fields":["${unique(n)}"],"unique":true}`));
    }
    await built({ base });
  };
const eightUnique: HostileRequest['prepare'] = async ({ base }) => {
  for (let n = 0; n < 8; n++) {
    // Every other one begins a level below.
    const field = n % 2 === 0 ? 'l' : 'l.a';
    await must(202, base.sendText('PUT', `/indexes/u${n}`, `{"fields":["${field}"],"unique":true}`));
  }
  await built({ base });
};
/** Lists within each other, the innermost of which has many equal elements, and one of its own. */
const nestedZeros = (n: number, bytes: number) =>
  `{"a":${'['.repeat(97)}${filled(bytes - 300, '0')},${n}${']'.repeat(97)}}`;
const mostBytes = 400 * 1024;
const zeros = (n: number, bytes: number) => `{"key":"k${n}","l":[${filled(bytes - 100, '0')},${n}]}`;
const levels = (n: number, bytes: number) => `{"key":"k${n}","l":${nestedZeros(n, bytes)}}`;
/** An item that has values of unique indexes, and a list of zeros before them. */
const owner = (n: number, bytes: number) =>
  `{"key":"o${n}","l":[${filled(bytes - 200, '0')}],${listed(4, (field) => `"f${field}":${n}`)}}`;

/** Bodies of Declare Index, and what indexes cost other requests. */
export function indexes(count: Count, bodyBytes: number): HostileRequest[] {
  return [
    ...declarations(count, bodyBytes),
    ...queriesOverIndexes(count),
    ...changesWithIndexes(count),
    ...indexesOfLists(count),
    ...indexesOfEqualElements(count),
    ...uniqueIndexes(count),
  ];
}

function smallRows(count: Count): string[] {
  return Array.from(
    { length: count(5000) },
    (_, n) => `{"key":"k${n}","n":${n % 100},"s":"${n}","t":"${'a'.repeat(n % 300)}"}`,
  );
}

function declarations(count: Count, bodyBytes: number): HostileRequest[] {
  const rows = () => smallRows(count);
  const of = (most: number, value: (bytes: number) => string) => () =>
    Array.from({ length: count(most) }, (_, n) => largeItem(value, `k${n}`));
  return [
    declare('many small items', () => '{"fields":["n","t"]}', rows),
    declare('items of many attributes', () => '{"fields":["a.000001","a.x"]}', of(10, manyMembers)),
    declare('items of zeros', () => '{"fields":["b"]}', of(20, denseList)),
    declare('long texts', () => '{"fields":["a"]}', of(20, longText)),
    declare('millions of fields', () => `{"fields":[${filled(bodyBytes, '"a"')}]}`),
    declare('a field of millions of segments', () => `{"fields":["a${'.a'.repeat(bodyBytes / 2 - 64)}"]}`),
    declare('a field of many segments', () => `{"fields":["a${'.a'.repeat(500)}"]}`),
    declare('a long field', () => `{"fields":["${'a'.repeat(bodyBytes - 64)}"]}`),
    declare('objects that never end', () => filled(bodyBytes, '{"fields":').replaceAll(',', '')),
    declare('a long name', () => '{"fields":["n"]}', rows, `/indexes/${'i'.repeat(20_000)}`),
  ];
}

function queriesOverIndexes(count: Count): HostileRequest[] {
  const rows = () => smallRows(count);
  const query = (name: string, body: () => string): HostileRequest => ({
    name: `A query over indexes: ${name}`,
    method: 'POST',
    path: '/query',
    body,
    items: rows,
    prepare: ready(['n'], ['s'], ['n', 's', 't']),
  });
  return [
    query('an order', () => '{"order":["-n"],"limit":1000}'),
    query(
      'an order over three fields, and a count',
      () => '{"order":["n","s","t"],"count":true,"offset":1000}',
    ),
    query(
      '1000 ?in of long texts',
      () =>
        `{"query":{"s?in":[${listed(count(1000), (n) => `"${'a'.repeat(16_000)}${n}"`)}]},"order":["s"],"limit":10}`,
    ),
    query('1000 ?in', () => `{"query":{"n?in":[${listed(1000, (n) => `${n}`)}]},"order":["s"],"count":true}`),
    query(
      '1000 alternatives',
      () => `{"query":[${listed(1000, (n) => `{"s":"${n}"}`)}],"order":["n"],"count":true}`,
    ),
    query(
      '1000 conditions on one field',
      () => `{"query":{"n?gte":1,${listed(998, (n) => `"s?ne":"${n}"`)}},"order":["n"]}`,
    ),
    query('a long operand', () => `{"query":{"s?gt":"${'a'.repeat(400_000)}"},"order":["s"]}`),
    query('a long operand of U+0000', () => `{"query":{"s?gt":"${'\\u0000'.repeat(60_000)}"},"order":["s"]}`),
    {
      name: 'a count by an index, of many items that have just expired',
      method: 'POST',
      path: '/query/count',
      body: () => '{"query":{"n":1}}',
      prepare: async (place) => {
        await ready(['n'])(place);
        const expires = Math.floor(Date.now() / 1000) + 5;
        const text = 'a'.repeat(maxItemBytes - 1024);
        for (let n = 0; n < count(500); n++) {
          const item = `{"key":"k${n}","n":1,"t":"${text}","__expires":${expires}}`;
          await must(207, place.base.sendText('PUT', '/items', `{"items":[${item}]}`));
        }
        await new Promise((resolve) => setTimeout(resolve, Math.max(0, expires * 1000 - Date.now())));
      },
    },
    {
      name: 'objects of long ?in lists, and eight indexes',
      method: 'POST',
      path: '/query',
      body: () => {
        const values = listed(1000, (n) => `"${'a'.repeat(76)}${n}"`);
        return `{"query":[${listed(count(170), () => `{"n?in":[${values}]}`)}],"count":true}`;
      },
      items: rows,
      prepare: ready(...Array.from({ length: 8 }, () => ['n'])),
    },
    {
      name: '1000 objects over an index of lists',
      method: 'POST',
      path: '/query/count',
      body: () => `{"query":[${listed(count(1000), (n) => `{"l?has":${n === 0 ? 999 : -n}}`)}]}`,
      items: () => Array.from({ length: count(900) }, (_, n) => lists(n)),
      prepare: ofList(1),
    },
  ];
}

function changesWithIndexes(count: Count): HostileRequest[] {
  const rows = () => smallRows(count);
  return [
    {
      name: 'a put of items with eight indexes of four long texts',
      method: 'PUT',
      path: '/items',
      body: () => `{"items":[${listed(count(25), texts)}]}`,
      prepare: eight,
    },
    {
      name: 'an import of items with eight indexes',
      method: 'PUT',
      path: '/items',
      type: 'application/x-ndjson',
      body: () => Array.from({ length: count(2000) }, (_, n) => texts(n).replaceAll('ä', '')).join('\n'),
      prepare: eight,
    },
    {
      name: 'query/update of many items with indexes',
      method: 'POST',
      path: '/query/update',
      body: () => '{"all":true,"increment":{"n":1}}',
      items: rows,
      prepare: ready(['n'], ['s'], ['n', 's', 't']),
    },
    {
      name: 'Delete All Items with indexes',
      method: 'DELETE',
      path: '/items?all=true',
      items: rows,
      prepare: ready(['n'], ['s'], ['n', 's', 't']),
    },
    {
      name: 'Drop Index',
      method: 'DELETE',
      path: '/indexes/i0',
      items: rows,
      prepare: ready(['n', 's', 't']),
    },
  ];
}

/** A few kilobytes of a list are thousands of entries. */
function indexesOfLists(count: Count): HostileRequest[] {
  const many = () => Array.from({ length: count(200) }, (_, n) => lists(n));
  const stored = { items: many, prepare: ofLists };
  return [
    {
      name: 'a put of an item with eight indexes of lists',
      method: 'PUT',
      path: '/items',
      body: () => `{"items":[${lists(0)}]}`,
      prepare: ofLists,
    },
    {
      name: 'a put of many items with eight indexes of lists',
      method: 'PUT',
      path: '/items',
      body: () => `{"items":[${listed(25, lists)}]}`,
      prepare: ofLists,
    },
    {
      name: 'a transaction of many items with eight indexes of lists',
      method: 'POST',
      path: '/transactions',
      body: () => `{"operations":[${listed(100, (n) => `{"put":${lists(n)}}`)}]}`,
      prepare: ofLists,
    },
    {
      name: 'an import of items with eight indexes of lists',
      method: 'PUT',
      path: '/items',
      type: 'application/x-ndjson',
      body: () => many().join('\n'),
      prepare: ofLists,
    },
    {
      name: 'query/update of items with eight indexes of lists',
      method: 'POST',
      path: '/query/update',
      body: () => '{"all":true,"set":{"l":[1]}}',
      ...stored,
    },
    {
      name: 'query/delete of items with eight indexes of lists',
      method: 'POST',
      path: '/query/delete',
      body: () => '{"all":true}',
      ...stored,
    },
    {
      name: 'Delete All Items with eight indexes of lists',
      method: 'DELETE',
      path: '/items?all=true',
      ...stored,
    },
  ];
}

/** A list of 400 KiB has few different elements, or few levels that differ. */
function indexesOfEqualElements(count: Count): HostileRequest[] {
  const bytes = count(mostBytes);
  return [
    {
      name: 'a put of 25 items of zeros with eight indexes of lists',
      method: 'PUT',
      path: '/items',
      body: () => `{"items":[${listed(25, (n) => zeros(n, bytes))}]}`,
      prepare: ofLists,
    },
    {
      name: 'a put of 25 items of zeros written in many ways with eight indexes of lists',
      method: 'PUT',
      path: '/items',
      body: () => {
        const written = listed(Math.floor(bytes / 8), (n) => `0e${n}`);
        return `{"items":[${listed(25, (n) => `{"key":"k${n}","l":[${written}]}`)}]}`;
      },
      prepare: ofLists,
    },
    {
      name: 'Declare Index: the elements of lists of zeros',
      method: 'PUT',
      path: '/indexes/i',
      body: () => '{"fields":["l"],"each":true}',
      items: () => Array.from({ length: count(40) }, (_, n) => zeros(n, mostBytes)),
      after: built,
    },
  ];
}

/** What decides in a transaction whether values are unique. */
function uniqueIndexes(count: Count): HostileRequest[] {
  const bytes = count(mostBytes);
  return [
    {
      name: 'a put of 25 items of 98 levels with eight unique indexes',
      method: 'PUT',
      path: '/items',
      body: () => `{"items":[${listed(25, (n) => levels(n, bytes))}]}`,
      prepare: eightUnique,
    },
    {
      name: 'a put of an item of 98 levels with eight unique indexes',
      method: 'PUT',
      path: '/items',
      body: () => `{"items":[${levels(0, bytes)}]}`,
      prepare: eightUnique,
    },
    {
      name: 'Declare Index: 98 levels, unique',
      method: 'PUT',
      path: '/indexes/i',
      body: () => '{"fields":["l"],"unique":true}',
      items: () => Array.from({ length: count(40) }, (_, n) => levels(n, mostBytes)),
      after: built,
    },
    {
      name: 'a put of items whose unique values 100 large items have',
      method: 'PUT',
      path: '/items',
      body: () =>
        `{"items":[${listed(25, (n) => `{"key":"k${n}",${listed(4, (field) => `"f${field}":${(4 * n + field) % 100}`)}}`)}]}`,
      items: () => Array.from({ length: 100 }, (_, n) => owner(n, bytes)),
      prepare: half((n) => `f${n}`),
    },
    {
      name: 'Declare Index: values of which half are not unique in large items',
      method: 'PUT',
      path: '/indexes/i',
      body: () => '{"fields":["g"],"unique":true}',
      items: () =>
        Array.from({ length: count(40) }, (_, n) =>
          zeros(n, mostBytes).replace('"l":', `"g":${n < 8 ? n : n % 20},"l":`),
        ),
      after: built,
    },
  ];
}
