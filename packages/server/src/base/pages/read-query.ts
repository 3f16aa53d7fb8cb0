import type { Asked } from '../../http/requests/bodies/asked.js';
import type { Query } from '../query/query-body.js';
import type { BaseReading } from './choose-source.js';
import { isLong, readLongPage } from './long-page.js';
import { type Page, readPage } from './page.js';
import { pageRows } from './page-rows.js';
import type { PageScheduler } from './page-scheduler.js';
import { readPresentPage } from './present-page.js';

/** Reads one page of a query (docs/http.md#pages) when its turn comes. The cost of a long query is added to `cost`. */
export async function readQuery(
  reading: Omit<BaseReading, 'turn'>,
  pages: PageScheduler,
  asked: Asked<Query>,
): Promise<Page> {
  const { space, items, clock, isAbandoned } = reading;
  const rest = () => asked.rest();
  const { present, willBeLong, conditions } = begin(await asked.read(), reading);
  if (present !== undefined) return present;
  if (willBeLong) {
    return pages.runLong(async (turn) => readLongPage(await asked.read(), { ...reading, turn }), rest);
  }
  const read = async () => {
    const query = await asked.read();
    return readPage(pageRows(items, space, query), query, { clock, isAbandoned });
  };
  return pages.run({ conditions }, read, rest);
}

/** The page if it is in memory, and what decides when it is read otherwise: the query itself need not wait until then. */
function begin(query: Query, reading: Omit<BaseReading, 'turn'>) {
  const present = readPresentPage(query, reading);
  return { present, willBeLong: isLong(query), conditions: query.conditions };
}
