import type { Put } from '../engines/item-store.js';
import type { ProjectQuota } from '../quotas/ledger.js';

/** What the operator has set for a project. Stored as JSON: never rename a member. */
export interface ProjectRow {
  /** Whole seconds since 1970 UTC; absent for a project that was not created here. */
  readonly createdSeconds?: number | undefined;
  readonly quota?: ProjectQuota | undefined;
  /** Whether it is being deleted. Such a row is due, so that the deletion goes on after a restart. */
  readonly isDeleted?: boolean | undefined;
}

/** Counted up with each change of a row. No project has this name. */
export const revisionKey = '#';

/** The row of the revision, which every change puts. */
export function nextRevision(stored: Buffer | undefined): Put {
  return { key: revisionKey, value: Buffer.from(String(Number(stored?.toString() ?? 0) + 1)) };
}

export function readProjectRow(row: Buffer | undefined): ProjectRow | undefined {
  return row === undefined ? undefined : (JSON.parse(row.toString()) as ProjectRow);
}

export function projectRow(project: string, row: ProjectRow): Put {
  const put = { key: project, value: Buffer.from(JSON.stringify(row)) };
  return row.isDeleted ? { ...put, dueSeconds: 0 } : put;
}
