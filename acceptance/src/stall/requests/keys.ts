import { denseObjects, filled, listed } from './bodies.js';
import { type Count, type HostileRequest, must, type Place } from './hostile-request.js';

const maxKeyBytes = 2 * 1024 * 1024;

/** As much as a key may have: its limits are in memory, and in List Keys. */
const large = `{"access":"read","expires_in":600,"prefix":"${'p'.repeat(1024)}","bases":[${listed(15, wide)}],"drives":[${listed(15, wide)}],"origins":[${listed(2, (n) => `"https://${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(60)}${n}.example"`)}]}`;

function wide(n: number): string {
  return `"${n}${'n'.repeat(250)}*"`;
}

async function keysOf({ api }: Place, most: number): Promise<void> {
  const path = `/v1/${api.target.project}/keys`;
  const there = (await must(200, api.send('GET', path))).json<{ keys: readonly unknown[] }>().keys.length;
  for (let made = there; made < most; made += 50) {
    const some = Math.min(50, most - made);
    await Promise.all(
      Array.from({ length: some }, () =>
        must(201, api.send('POST', path, { body: large, type: 'application/json' })),
      ),
    );
  }
}

/** Bodies of Create Key, and List Keys. */
export function keys(count: Count): HostileRequest[] {
  const create = (name: string, body: () => string): HostileRequest => ({
    name: `Create Key: ${name}`,
    method: 'POST',
    path: '/keys',
    isOfProject: true,
    body,
  });
  const bytes = count(maxKeyBytes - 1024);
  return [
    create('lists that are too long together', () => `{"bases":[${listed(100, wide)}]}`),
    create('as large as it may be', () => large),
    create('a million bases', () => `{"bases":[${filled(bytes, '"a*"')}]}`),
    create('bad bases', () => `{"bases":[${listed(100, () => `"${'*'.repeat(bytes / 110)}"`)}]}`),
    create('a long origin', () => `{"origins":["https://${'a.'.repeat(bytes / 2 - 64)}b"]}`),
    create(
      '20 bad origins',
      () => `{"origins":[${listed(20, () => `"https://${'a.'.repeat(bytes / 50)}"`)}]}`,
    ),
    create('an absurd rate', () => `{"requests_per_second":${'9'.repeat(bytes - 64)}}`),
    create('an absurd time', () => '{"expires_in":1e400}'),
    create('a long name', () => `{"name":"${'a'.repeat(bytes - 64)}"}`),
    create('a long prefix', () => `{"prefix":"${'ä'.repeat(bytes / 2 - 64)}"}`),
    create('millions of values', () => `{"bases":${denseObjects(bytes)}}`),
    create('lists that never end', () => '['.repeat(bytes)),
    {
      name: 'List Keys: 950 keys as large as they may be',
      method: 'GET',
      path: '/keys',
      isOfProject: true,
      prepare: (place) => keysOf(place, count(950)),
    },
  ];
}
