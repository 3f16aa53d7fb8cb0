import type { RowDamage } from '../../storage-errors.js';
import { batchHeaderBytes } from '../format/log-format.js';
import { type LogFault, readLog, wasChanged } from '../format/log-reader.js';

export interface LogFile {
  readonly file: string;
  readonly source: Buffer;
  /** Where its last record ended when its store was closed; absent after a crash. */
  readonly closedAt?: number | undefined;
}

/** More operations than any group of writes has. */
const maxGroupOperations = 2 ** 20;

/**
 * What is damaged in logs, the oldest first, of which the first begins at most one operation after `lastSequence`. A
 * batch is written only when the one before it is synced. So a fault that is followed by a batch, in its log or in a
 * later one, has damaged something that was acknowledged. A fault at the very end is what a crash left of the last
 * write, unless its bytes show that they were once whole, or the store was closed after them.
 */
export function findLogDamage(logs: readonly LogFile[], lastSequence: number): readonly RowDamage[] {
  const damage: RowDamage[] = [];
  let last = lastSequence;
  let atEnd: RowDamage | undefined;
  for (const { file, source, closedAt = 0 } of logs) {
    const { records, faults, end } = readLog(source, (bytes) => isBatchNear(bytes, last));
    if (records.length > 0 && atEnd !== undefined) damage.push(atEnd);
    if (records.length > 0) atEnd = undefined;
    for (const { offset, problem, isFollowed } of faults) {
      const damaged = { file, offset, problem };
      if (isFollowed || wasChanged(source, offset)) damage.push(damaged);
      else atEnd = damaged;
    }
    if (end < closedAt) {
      damage.push({ file, offset: end, problem: `the log ended at byte ${closedAt} when it was closed` });
    }
    let previousStart = -1;
    for (const { start, bytes } of records) {
      const batch = batchHeader(bytes);
      if (batch === undefined) {
        damage.push({ file, offset: start, problem: 'the record is shorter than any batch' });
        continue;
      }
      const missing = batch.sequence - last - 1;
      if (missing > 0 && !hasFaultBetween(faults, previousStart, start)) {
        damage.push({ file, offset: start, problem: `${missing} operations are missing before this record` });
      }
      last = batch.sequence + batch.operations - 1;
      previousStart = start;
    }
  }
  return damage;
}

function hasFaultBetween(faults: readonly LogFault[], start: number, end: number): boolean {
  return faults.some(({ offset }) => offset > start && offset < end);
}

/**
 * Whether a record that was found after a fault is a batch of this log. Bytes that a client stored may look like a
 * record, but their sequence number would be far from this one.
 */
export function isBatchNear(bytes: Buffer, sequence: number): boolean {
  const batch = batchHeader(bytes);
  return batch !== undefined && Math.abs(batch.sequence - sequence) <= maxGroupOperations;
}

/** Undefined for a record that is shorter than any batch. */
export function batchHeader(bytes: Buffer): { sequence: number; operations: number } | undefined {
  if (bytes.length < batchHeaderBytes) return undefined;
  const sequence = Number(bytes.readBigUInt64LE(0));
  return { sequence, operations: bytes.readUInt32LE(8) };
}
