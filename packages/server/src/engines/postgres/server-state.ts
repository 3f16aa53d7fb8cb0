import { readOnlyColumn } from './hosts.js';
import type { Run } from './pool.js';

/** What the clock of the database shows, in milliseconds since 1970. */
export async function readClock(run: Run): Promise<number> {
  const text = 'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000) AS now_ms';
  const { rows } = await run({ name: 'now', text });
  return Number((rows[0] as { readonly now_ms: string }).now_ms);
}

/** Whether the database takes no writes now: it is a standby, or read-only by a setting. */
export async function isReadOnly(run: Run): Promise<boolean> {
  const { rows } = await run({ name: 'state', text: `SELECT ${readOnlyColumn}` });
  return (rows[0] as { readonly read_only: string | null }).read_only === 'on';
}
