import type { ChangesPage } from '../../feed.js';
import { filled, largeItem, listed, longText } from './bodies.js';
import { type Count, type HostileRequest, must, type Place } from './hostile-request.js';

type Parameters = Readonly<Record<string, string | number>>;

const ndjson = 'application/x-ndjson';

/** What reads the log of changes, or a snapshot, with as much work for each item or note as the limits allow. */
export function changes(count: Count): HostileRequest[] {
  const nameOf = ({ base }: Place) => decodeURIComponent(base.root.split('/').at(-1) ?? '');
  const text = Array.from({ length: count(200) }, (_, n) => largeItem(longText, `k${n}`));
  const wide = Array.from({ length: count(50) }, (_, n) =>
    largeItem((bytes) => `"${'äİ'.repeat(bytes / 4)}"`, `k${n}`),
  );
  const small = Array.from({ length: count(50_000) }, (_, n) => `{"key":"k${n}"}`);
  const ored = (conditions: number, make: (n: number) => string) =>
    `[${listed(count(conditions), (n) => `{${make(n)}}`)}]`;
  const contains = ored(900, (n) => `"a?contains":"b${n}"`);
  const lowered = ored(800, (n) => `"a?icontains":"b${n}"`);
  const inList = `{"a?in":[${listed(count(1000), (n) => `"b${n}"`)}]}`;

  const request = (
    name: string,
    accept: string,
    path: (place: Place) => Promise<string>,
  ): HostileRequest => ({
    name: `List Changes: ${name}`,
    method: 'GET',
    path,
    headers: { Accept: accept },
    isEndless: accept !== 'application/json',
  });
  /** Of what was put, everything that is there. */
  const snapshot = (name: string, accept: string, items: readonly string[], parameters: Parameters) =>
    request(`${name}, snapshot`, accept, async (place) => {
      await putAll(place, items);
      return pathOf(place.api, { since: '0', bases: nameOf(place), ...parameters });
    });
  /** The same as changes after a cursor. */
  const since = (name: string, accept: string, items: readonly string[], parameters: Parameters) =>
    request(name, accept, async (place) => {
      const begin = await must(200, place.api.send('GET', pathOf(place.api)));
      const { cursor } = begin.json<ChangesPage>();
      await putAll(place, items);
      return pathOf(place.api, { since: cursor, bases: nameOf(place), ...parameters });
    });
  const names = (make: (n: number) => string, most: number) => listed(count(most), make);
  const wideNames = { bases: names((n) => `${n.toString(36)}*`, 5500) };

  return [
    since('900 ?contains', 'application/json', text, { query: contains, limit: 1000 }),
    since('900 ?contains', ndjson, text, { query: contains, values: 'false' }),
    since('800 ?icontains in text that is not ASCII', 'text/event-stream', wide, { query: lowered }),
    since('?in of 1000 values', 'application/json', text, { query: inList, values: 'false', limit: 1000 }),
    since('large items', 'text/event-stream', text, {}),
    since('large items without values', 'application/json', text, { values: 'false', limit: 1000 }),
    since('5500 beginnings of names', ndjson, small, wideNames),
    snapshot('900 ?contains', 'application/json', text, { query: contains, limit: 1000 }),
    snapshot('900 ?contains', ndjson, text, { query: contains, values: 'false' }),
    snapshot('800 ?icontains in text that is not ASCII', 'text/event-stream', wide, { query: lowered }),
    snapshot('large items', ndjson, text, {}),
    snapshot('small items', ndjson, small, {}),
    request('5500 names and beginnings', 'application/json', async ({ api }) =>
      pathOf(api, {
        bases: names((n) => (n % 2 === 0 ? `${n.toString(36)}*` : n.toString(36)), 5500),
      }),
    ),
    request('a query of lists that never end', 'application/json', async ({ api }) =>
      pathOf(api, { query: '['.repeat(count(8000)) }),
    ),
    {
      name: 'Create Ticket: as much as it may be',
      method: 'POST',
      path: '/changes/tickets',
      isOfProject: true,
      body: () => `{"query":[${filled(count(4000), '{"a":1}')}]}`,
    },
  ];
}

/** With as little encoded as possible: a head has room for 32 KiB. */
function pathOf({ target }: Place['api'], parameters: Parameters = {}): string {
  const pairs = Object.entries(parameters).map(([name, value]) => `${name}=${value}`);
  return `/v1/${target.project}/changes?${pairs.join('&')}`;
}

/** In one transaction for each body of lines: the notes of small items are in few rows of the log. */
async function putAll({ base }: Place, items: readonly string[]): Promise<void> {
  await must(200, base.sendText('PUT', '/items', items.join('\n'), ndjson));
}
