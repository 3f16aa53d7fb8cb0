import { readOnlyColumn } from './hosts.js';
import type { Run, Statement } from './pool.js';

const state: Statement = { name: 'state', text: `SELECT ${readOnlyColumn}` };

/** Whether the database takes no writes now: it is a standby, or read-only by a setting. */
export async function isReadOnly(run: Run): Promise<boolean> {
  const { rows } = await run(state);
  return (rows[0] as { readonly read_only: string | null }).read_only === 'on';
}
