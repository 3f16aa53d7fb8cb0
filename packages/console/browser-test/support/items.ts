import type { ConsoleUnderTest } from './console.js';

const names = [
  'Ada Lovelace',
  'Alan Turing',
  'Grace Hopper',
  'Edsger Dijkstra',
  'Barbara Liskov',
  'Donald Knuth',
];
const cities = ['London', 'Bletchley', 'New York', 'Rotterdam', 'Los Angeles', 'Milwaukee'];

/** The JSON text of an item as an application would store it. */
export function person(n: number): string {
  const name = names[n % names.length];
  const tags = ['math', 'logic', 'code'].slice(0, n % 4);
  const expires = n % 7 === 3 ? `,"__expires":${4_000_000_000 + n * 86_400}` : '';
  return (
    `{"key":"user-${String(n).padStart(6, '0')}","name":"${name}","age":${20 + (n % 60)},"active":${n % 3 !== 0},` +
    `"home":{"city":"${cities[n % cities.length]}","zip":"${10_000 + n}"},"tags":${JSON.stringify(tags)},` +
    `"balance":${n}.50${n % 5 === 0 ? ',"note":null' : ''}${expires}}`
  );
}

/** The items of so many persons, from one on. */
export function people(count: number, first = 0): readonly string[] {
  return Array.from({ length: count }, (_, n) => person(first + n));
}

/** Items that a parser, a renderer or a careless template would change, refuse or run. */
export const oddItems: readonly string[] = [
  '{"key":"exact","price":0.1000,"big":9007199254740993,"exponent":1e5,"minus":-0,"order":{"10":1,"2":2}}',
  '{"key":"<img src=x onerror=alert(1)>","<img src=x onerror=alert(2)>":"<script>alert(3)</script>"}',
  '{"key":"right-to-left","text":"\\u202Egnp.exe","arabic":"مرحبا"}',
  '{"key":"emoji 🙂","empty":"","a.dot":"x","what?ne":1,"__proto__":{"polluted":true}}',
  `{"key":"long","text":"${'long '.repeat(2000)}"}`,
  '{"key":"lines","text":"a\\nb\\tc\\u0000d"}',
  '{"key":"deep","a":{"b":{"c":{"d":[1,[2,[3,{"e":null}]]]}}}}',
];

/** Stores items, given as JSON texts. */
export async function store(
  console: ConsoleUnderTest,
  base: string,
  items: readonly string[],
): Promise<void> {
  const response = await fetch(`${console.url}v1/demo/${encodeURIComponent(base)}/items`, {
    method: 'PUT',
    headers: { 'X-API-Key': 'demo_s3cret', 'Content-Type': 'application/x-ndjson' },
    body: items.join('\n'),
  });
  const { failed } = JSON.parse((await response.text()).trim().split('\n').at(-1) ?? '') as {
    failed: number;
  };
  if (failed > 0) throw new Error(`${failed} items were refused`);
}

/** The stored text of an item. */
export async function stored(console: ConsoleUnderTest, base: string, key: string): Promise<string> {
  return (await console.call('GET', `/${encodeURIComponent(base)}/items/${encodeURIComponent(key)}`)).text();
}
