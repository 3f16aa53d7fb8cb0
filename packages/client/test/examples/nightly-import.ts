import type { Basedrive } from '../../src/index.js';

/** A nightly import with a report: sales of any number, each stored once, and what they come to. */
export interface Sale {
  key: string;
  city: string;
  at: string;
  total: number;
}

/** Stores the sales of a night. What was refused is in the report, with its place. */
export async function importSales({ Base, Drive }: Basedrive, night: string, sales: AsyncIterable<Sale>) {
  const base = Base<Omit<Sale, 'key'>>('sales');
  await base.declareIndex('by-day', ['at']);
  const { stored, failed } = await base.importItems(sales);
  const refused = failed.map(({ item, error }) => `${JSON.stringify(item)}: ${error.message}`);
  const { groups } = await base.aggregate(
    { n: { count: true }, total: { sum: 'total' }, largest: { max: 'total' } },
    { 'at?pfx': night },
    { group: ['city', { day: 'at' }], order: ['-total'] },
  );
  const lines = groups.map(
    ({ group, n, total, largest }) => `${group.city}: ${n} sales, ${total}, at most ${largest}`,
  );
  const text = [`${night}: ${stored} stored, ${refused.length} refused`, ...lines, ...refused].join('\n');
  await Drive('reports').put(`${night}.txt`, text, {
    contentType: 'text/plain',
    metadata: { stored: String(stored), refused: String(refused.length) },
    expireIn: 90 * 24 * 3600,
  });
  return text;
}
