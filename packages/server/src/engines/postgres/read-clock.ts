import type { Run, Statement } from './pool.js';

const now: Statement = {
  name: 'now',
  text: 'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000) AS now_ms',
};

/** What the clock of the database shows, in milliseconds since 1970. */
export async function readClock(run: Run): Promise<number> {
  const { rows } = await run(now);
  return Number((rows[0] as { readonly now_ms: string }).now_ms);
}
