import type { Client } from '../model/client.js';
import { expectStatus, type Model, type ModelList } from '../model/model.js';
import type { Tally } from './tally.js';

/** Small, so that every list has several pages. */
const pageSize = 20;

/**
 * Reads every list to its end. Each model that exists must be listed once, and nothing else. To be called after every
 * model was verified, while nothing runs.
 */
export async function compareLists(client: Client, models: readonly Model[], tally: Tally): Promise<void> {
  const lists = new Map<string, { readonly list: ModelList; readonly expected: Set<string> }>();
  for (const { list, exists } of models) {
    const id = `${list.kind} of ${list.store}`;
    const { expected } = lists.get(id) ?? { expected: new Set() };
    if (exists) for (const name of list.names) expected.add(name);
    lists.set(id, { list, expected });
  }
  for (const [id, { list, expected }] of lists) {
    const found = await namesIn(client, list);
    const once = new Set(found);
    tally.current.comparisons++;
    if (once.size < found.length) tally.find('doubled', id, `${id}: a name is listed twice: ${found}`);
    const missing = [...expected].filter((name) => !once.has(name));
    if (missing.length > 0) tally.find('lost', id, `${id}: not listed: ${missing}`);
    const reappeared = [...once].filter((name) => !expected.has(name));
    if (reappeared.length > 0) tally.find('lost', id, `${id}: deleted, but still listed: ${reappeared}`);
  }
}

interface Page {
  readonly paging?: { readonly last?: string };
  readonly items?: readonly { readonly key: string }[];
  readonly names?: readonly string[];
}

async function namesIn(client: Client, { kind, store }: ModelList): Promise<string[]> {
  const names: string[] = [];
  let last: string | undefined;
  do {
    const after = last === undefined ? '' : `&last=${encodeURIComponent(last)}`;
    const reply =
      kind === 'items'
        ? await client.send('POST', `${store}/query`, { limit: pageSize, last: last ?? null })
        : await client.send('GET', `${store}/files?limit=${pageSize}${after}`);
    expectStatus(`list ${store}`, reply.status, 200);
    const page = JSON.parse(reply.body.toString()) as Page;
    names.push(...(page.items?.map(({ key }) => key) ?? page.names ?? []));
    last = page.paging?.last;
  } while (last !== undefined);
  return names;
}
