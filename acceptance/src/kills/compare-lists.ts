import type { Client } from '../model/client.js';
import { expectStatus, type Subject, type SubjectList } from '../model/model.js';
import type { Tally } from './tally.js';

/** Small, so that every comparison turns pages. */
const pageSize = 20;

/** Reads every list to its end, at rest and behind `check`: each subject that is there once, and nothing else. */
export async function compareLists(
  client: Client,
  subjects: readonly Subject[],
  tally: Tally,
): Promise<void> {
  const lists = new Map<string, { readonly list: SubjectList; readonly expected: Set<string> }>();
  for (const { list, isThere } of subjects) {
    const id = `${list.kind} of ${list.store}`;
    const { expected } = lists.get(id) ?? { expected: new Set() };
    if (isThere) expected.add(list.name);
    lists.set(id, { list, expected });
  }
  for (const [id, { list, expected }] of lists) {
    const found = await namesIn(client, list);
    const once = new Set(found);
    tally.current.comparisons++;
    if (once.size < found.length) tally.find('doubled', id, `${id}: a name is listed twice: ${found}`);
    const missing = [...expected].filter((name) => !once.has(name));
    if (missing.length > 0) tally.find('lost', id, `${id}: not listed: ${missing}`);
    const risen = [...once].filter((name) => !expected.has(name));
    if (risen.length > 0) tally.find('lost', id, `${id}: deleted, and listed again: ${risen}`);
  }
}

interface Page {
  readonly paging?: { readonly last?: string };
  readonly items?: readonly { readonly key: string }[];
  readonly names?: readonly string[];
}

async function namesIn(client: Client, { kind, store }: SubjectList): Promise<string[]> {
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
