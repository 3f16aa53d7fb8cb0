/** The JSON of each member: it keeps the digits of numbers. */
export type QueryMembers = Readonly<Record<string, string>>;

/** Random items, queries and writes that are hard for indexes. The same seed gives the same ones. */
export interface RandomItems {
  /** The JSON of an item. */
  item(key: string): string;
  /** The members of a query as JSON. Many queries are ordered; none has a `last`. */
  query(): QueryMembers;
  /** The operations of a transaction, as JSON. */
  operations(): string;
  key(): string;
  below(limit: number): number;
}

const fields = ['a', 'b', 'c.d'] as const;
const long = 'long '.repeat(40);

const numbers =
  `0 -0 0.0 -0e5 1 1.0 10e-1 0.1e1 -1 2 10 100000 1e5 99999.9 100000.1 9007199254740992 9007199254740993
  -9007199254740993 0.1 0.10 0.30000000000000004 1e300 -1e300 1.7976931348623157e308 1e-300 -1e-300 5e-324 1e-7 123456789`
    .split(/\s+/)
    .filter((text) => text !== '');
const strings = [
  '',
  'a',
  'ab',
  'aa',
  'b',
  'B',
  '1',
  '\0',
  'a\0',
  'a\0b',
  'a\u0001',
  '\u0001',
  '\u0001\u0001',
  'é',
  '\ud7ff',
  '\uffff',
  '😀',
  '\u{10ffff}',
  'a\u{10ffff}',
  '"\\/',
  long,
  `${long}a`,
  `${long.slice(0, 150)}x`,
  `${long}b`,
  `${long}b\0`,
  `${long}😀`,
  '😀'.repeat(130),
  `${'😀'.repeat(130)}a`,
];
/** They begin alike, and are longer than what an entry keeps. */
const longStrings = strings.filter((text) => text.startsWith(long.slice(0, 150)));
const others = ['null', 'true', 'false', '[]', '[1]', '["a"]', '{}', '{"x":1}'];

const list = (values: readonly string[]) => `[${values.join(',')}]`;

/** Draws from a seed. */
function createDraw(seed: number) {
  let state = seed;
  /** Mulberry32. */
  function next(): number {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  const below = (limit: number) => Math.floor(next() * limit);
  const one = <T>(list: readonly T[]): T => list[below(list.length)] as T;
  const chance = (share: number) => next() < share;
  return { next, below, one, chance };
}

/** Draws values, as JSON. */
function createValues({ below, one, chance }: ReturnType<typeof createDraw>) {
  const number = () => (chance(0.4) ? String(below(5)) : one(numbers));
  const string = () => JSON.stringify(one(chance(0.25) ? longStrings : strings));
  const scalar = () => (chance(0.5) ? number() : string());
  const value = () => (chance(0.15) ? one(others) : scalar());
  const tag = () => one(['"a"', '"ab"', '"x"', '1', '[1]', 'null', JSON.stringify(long)]);

  /** Mostly a list. An index does not keep all elements of a long one. */
  function tags(): string {
    if (chance(0.15)) return value();
    const length = chance(0.03) ? 1200 : below(5);
    const elements = Array.from({ length }, (_, n) => (n > 20 ? String(n) : chance(0.6) ? tag() : value()));
    return `[${elements}]`;
  }
  const key = () => one(['k', 'é', '😀', 'K', '\u0001']) + below(60);
  return { number, string, scalar, value, tag, tags, key };
}

export function createRandomItems(seed: number): RandomItems {
  const draw = createDraw(seed);
  const { next, below, one, chance } = draw;
  const { number, string, scalar, value, tag, tags, key } = createValues(draw);

  function item(of: string): string {
    const members = [`"key":${JSON.stringify(of)}`];
    if (chance(0.9)) members.push(`"a":${value()}`);
    if (chance(0.8)) members.push(`"b":${value()}`);
    if (chance(0.7)) members.push(`"c":${chance(0.8) ? `{"d":${value()}}` : value()}`);
    if (chance(0.7)) members.push(`"t":${tags()}`);
    if (chance(0.1)) members.push(`"__expires":${chance(0.5) ? 1 : 4_000_000_000}`);
    return `{${members.join(',')}}`;
  }

  function condition(): string {
    const path = one(fields);
    switch (below(11)) {
      case 9:
        return `"t?has":${chance(0.7) ? tag() : value()}`;
      case 10:
        return `"t?contains":${chance(0.6) ? one(['"a"', '"x"', JSON.stringify(long)]) : string()}`;
      case 0:
      case 1:
      case 2:
        return `"${path}":${value()}`;
      case 3:
        return `"${path}?${one(['lt', 'gt', 'lte', 'gte'])}":${scalar()}`;
      case 4:
        return `"${path}?r":${list(chance(0.5) ? [number(), number()] : [string(), string()])}`;
      case 5:
        return `"${path}?pfx":${JSON.stringify([...one(strings)].slice(0, below(200)).join(''))}`;
      case 6:
        return `"${path}?in":${list(Array.from({ length: 1 + below(4) }, value))}`;
      case 7:
        return `"${path}?exists":${chance(0.5)}`;
      default:
        return `"${path}?${one(['ne', 'not_contains', 'contains', 'icontains'])}":${string()}`;
    }
  }

  function query(): QueryMembers {
    const body: Record<string, string> = {};
    const conditions = () => Array.from({ length: below(4) }, condition);
    if (chance(0.8)) body.query = `{${conditions()}}`;
    else if (chance(0.5)) body.query = `[{${conditions()}},{${conditions()}}]`;
    if (chance(0.05)) body.query = `{${['"key?pfx":"k"', ...conditions()]}}`;
    if (chance(0.85)) {
      const paths = [...fields].sort(() => next() - 0.5).slice(0, 1 + below(3));
      const columns: string[] = chance(0.2) ? [...paths.slice(0, below(3)), 'key'] : paths;
      body.order = JSON.stringify(columns.map((path) => (chance(0.4) ? `-${path}` : path)));
    }
    if (chance(0.3)) body.sort = '"desc"';
    if (chance(0.7)) body.limit = String(4 + below(30));
    if (chance(0.2)) body.offset = String(below(30));
    if (chance(0.3)) body.count = 'true';
    if (chance(0.1)) body.select = '["a","c.d"]';
    return body;
  }

  function operation(of: string): string {
    const name = JSON.stringify(of);
    switch (below(6)) {
      case 0:
        return `{"delete":{"key":${name}}}`;
      case 1:
        return `{"update":{"key":${name},"set":{"${one(['a', 'b'])}":${value()}}}}`;
      case 2:
        return `{"update":{"key":${name},"if":{"a?exists":true},"delete":["a","c"]}}`;
      case 3:
        return `{"insert":${item(of)}}`;
      default:
        return `{"put":${item(of)}}`;
    }
  }

  return {
    item,
    query,
    key,
    below,
    operations: () =>
      `{"operations":[${Array.from({ length: 1 + below(5) }, () => operation(key())).join(',')}]}`,
  };
}
