import assert from 'node:assert/strict';
import { type BaseService, createBaseService } from '../../src/base/service.js';
import { headerKey, type ItemStore, type Snapshot } from '../../src/engines/item-store.js';
import { anyone } from '../../src/http/memory/buffer-budget.js';
import { baseSpace } from '../../src/spaces.js';
import type { QueryMembers } from './random-items.js';
import { askCount, askQuery } from './read-bodies.js';

/** The store as it is in a snapshot. It can only be read. */
export function frozen(snapshot: Snapshot): ItemStore {
  const refused = () => {
    throw new Error('this store can only be read');
  };
  const scanText: ItemStore['scanText'] = async function* (_space, range = {}) {
    for await (const keys of snapshot.keys(range)) {
      const texts = await snapshot.texts(keys);
      yield keys.map((key, index) => {
        const text = texts[index] as string;
        return { key, text, bytes: Buffer.byteLength(text) };
      });
    }
  };
  return {
    isShared: false,
    async get(_space, key) {
      const [text] = await snapshot.texts([key]);
      return text === undefined ? undefined : Buffer.from(text);
    },
    scanText,
    async *scan(space, range) {
      for await (const rows of scanText(space, range)) {
        yield rows.map(({ key, text }) => ({ key, value: Buffer.from(text) }));
      }
    },
    snapshot: async () => ({ ...snapshot, close: async () => {} }),
    transact: refused,
    spaces: refused,
    firstRows: refused,
    due: refused,
    close: async () => {},
  };
}

/** The same base without its indexes. */
function withoutIndexes(items: ItemStore): ItemStore {
  return {
    ...items,
    get: (space, key) => (key === headerKey ? undefined : items.get(space, key)),
    rowsSync: undefined,
  };
}

interface Answer {
  readonly body: string;
  readonly last: string | undefined;
  readonly index: string | undefined;
}

async function answerOf(service: BaseService, base: string, members: QueryMembers): Promise<Answer> {
  const cost: { items: number; bytes: number; index?: string } = { items: 0, bytes: 0 };
  const query = askQuery(queryText(members));
  const page = await service.query('p', base, query, { isAbandoned: () => false, cost });
  const items = page.items.finish('[', ']').toString();
  return {
    body: JSON.stringify({ items, last: page.last, total: page.total }),
    last: page.last,
    index: cost.index,
  };
}

function countOf(service: BaseService, base: string, { query = '{}' }: QueryMembers): Promise<number> {
  return service.byQuery.count(baseSpace('p', base), askCount(`{"query":${query}}`), {
    ...anyone,
    project: 'p',
  });
}

function queryText(members: QueryMembers): string {
  return `{${Object.entries(members).map(([name, json]) => `"${name}":${json}`)}}`;
}

export interface Compared {
  /** The names of the indexes that were used. */
  readonly used: Set<string>;
  /** The `last` of the first page. */
  readonly last: string | undefined;
}

/** Asks a query with and without indexes, to its last page, and compares the answers. */
export async function compareAnswers(items: ItemStore, base: string, query: QueryMembers): Promise<Compared> {
  const indexed = createBaseService(items, Date.now);
  const plain = createBaseService(withoutIndexes(items), Date.now);
  const [counted, expectedCount] = await Promise.all(
    [indexed, plain].map((one) => countOf(one, base, query)),
  );
  assert.equal(counted, expectedCount, `the count of ${query.query}`);
  const used = new Set<string>();
  let first: string | undefined;
  for (let last: string | undefined, pages = 0; ; pages++) {
    assert.ok(pages < 1000, 'the pages do not end');
    const body = last === undefined ? query : { ...query, last: JSON.stringify(last) };
    const expected = await answerOf(plain, base, body);
    const actual = await answerOf(indexed, base, body);
    assert.equal(expected.index, undefined);
    assert.equal(actual.body, expected.body, `${queryText(body)} by the index ${actual.index}`);
    if (actual.index !== undefined) used.add(actual.index);
    last = expected.last;
    if (pages === 0) first = last;
    if (last === undefined) return { used, last: first };
  }
}
