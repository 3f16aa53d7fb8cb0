import type { RereadableBody } from '../../http/requests/bodies/rereadable-body.js';
import type { Query } from '../query/query-body.js';
import type { BaseReading } from './choose-source.js';
import { isLong, readLongPage } from './long-page.js';
import { type Page, readPage } from './page.js';
import { pageRows } from './page-rows.js';
import type { PageScheduler } from './page-scheduler.js';
import { readPageSync } from './synchronous-page.js';

/** Reads one page of a query (docs/http.md#pages) when its turn comes. The cost of a long query is added to `cost`. */
export async function readQuery(
  reading: Omit<BaseReading, 'turn'>,
  pages: PageScheduler,
  body: RereadableBody<Query>,
): Promise<Page> {
  const { space, items, clock, isAbandoned } = reading;
  const release = () => body.release();
  const { page, willBeLong, conditions } = begin(await body.read(), reading);
  if (page !== undefined) return page;
  if (willBeLong) {
    return pages.runLong(
      space,
      async (turn) => readLongPage(await body.read(), { ...reading, turn }),
      release,
    );
  }
  const read = async () => {
    const query = await body.read();
    return readPage(pageRows(items, space, query), query, { clock, isAbandoned });
  };
  return pages.run(space, { conditions }, read, release);
}

/** The page, if all of it is in memory. Otherwise what decides when it is read: the query itself need not be kept until then. */
function begin(query: Query, reading: Omit<BaseReading, 'turn'>) {
  const page = readPageSync(query, reading);
  return { page, willBeLong: isLong(query), conditions: query.conditions };
}
