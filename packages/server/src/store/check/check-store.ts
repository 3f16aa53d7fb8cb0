import { basename } from 'node:path';
import { checkIndexes } from '../../base/indexes/check-indexes.js';
import { itemRange } from '../../base/indexes/entries/entries.js';
import {
  anyFile,
  anyGarbage,
  anyLinked,
  anyListed,
  anyPart,
  anyRestored,
  anyTrash,
  driveSpaces,
  isOfClosedUpload,
  namedContent,
  RowUnreadable,
} from '../../drive/contents/row-contents.js';
import { folderKey, keptKey, readRow, type UploadRow, uploadKey } from '../../drive/rows.js';
import { headerKey, type Row } from '../../engines/item-store.js';
import { isRefusedForDamage, type RowDamage, RowsDamaged } from '../../engines/storage-errors.js';
import { limitedKeyProblem } from '../../keys/limited/listed-rows.js';
import { nowSeconds } from '../../lib/clock.js';
import { accountSpaceOf, baseSpaces, keysSpace, limitedKeysSpace, publicSpace } from '../../spaces.js';
import { addProblem } from '../problems.js';
import { checkAccount } from './check-account.js';
import { checkOrphans, checkShared, orphansNotLookedFor } from './check-blobs.js';
import { contentProblem } from './check-content.js';
import { checkCounters } from './check-counters.js';
import type { CheckOptions } from './check-options.js';
import { createQuarantine } from './quarantine.js';
import { type CheckReport, emptyReport } from './report.js';

export interface CheckAndRepairOptions extends Omit<CheckOptions, 'quarantine'> {
  /** The data folder in which orphans are quarantined; without it they are only reported. */
  readonly quarantineFolder: string | undefined;
}

/** `checkStore`, with the quarantine below a data folder. */
export function checkAndRepair({
  quarantineFolder,
  ...options
}: CheckAndRepairOptions): Promise<CheckReport> {
  const { blobs, clock } = options;
  const quarantine =
    quarantineFolder === undefined ? undefined : createQuarantine(quarantineFolder, blobs, clock());
  return checkStore({ ...options, quarantine });
}

/** What is wrong with a row, or undefined. Throws for a row that cannot be read. */
type CheckOfRow = (row: Row, report: CheckReport) => Promise<string | undefined> | string | undefined;

/**
 * Reads the whole store: every row, and every byte of every file and part, compared with its size and its CRC-32.
 * Others may write in the meantime, so a finding is a problem only if its row is unchanged when it is read again.
 */
export async function checkStore(options: CheckOptions): Promise<CheckReport> {
  const report = emptyReport();
  await verifyItemStore(options, report);
  const isWhole = report.problemCount === 0;
  try {
    await checkSpaces(options, report);
  } catch (cause) {
    if (!(cause instanceof RowsDamaged || isRefusedForDamage(cause))) throw cause;
    addProblem(report, 'rows', '', `they cannot be read to their end: ${cause.message}`);
  }
  if (isWhole) {
    await checkShared(options, report);
    await checkOrphans(options, report);
  } else addProblem(report, 'blobs', '', orphansNotLookedFor);
  return report;
}

async function checkSpaces(options: CheckOptions, report: CheckReport): Promise<void> {
  const { items } = options;
  const rows = (space: string, check: CheckOfRow, prefix = '') =>
    checkRows(options, report, { space, prefix, check });
  await rows(keysSpace, readable);
  await rows(limitedKeysSpace, (row) => limitedKeyProblem(items, row));
  for await (const space of items.spaces(publicSpace(''))) await rows(space, readable);
  for await (const space of items.spaces(baseSpaces)) {
    await rows(space, item);
    await checkEntries(options, report, space);
    await checkCounts(options, report, space);
  }
  for await (const space of items.spaces(driveSpaces)) {
    for (const [prefix, check] of Object.entries(driveRows(options, space))) await rows(space, check, prefix);
    await checkCounts(options, report, space);
  }
  for await (const space of items.spaces(accountSpaceOf(''))) await checkQuota(options, report, space);
}

/** Verifies the item store's own checksums, which also cover rows that still look right. */
async function verifyItemStore({ items }: CheckOptions, report: CheckReport): Promise<void> {
  for await (const damage of items.verify?.() ?? []) {
    if ('file' in damage) addProblem(report, 'rows', placeOf(damage), damage.problem);
    else addProblem(report, damage.space, damage.key, damage.problem);
  }
}

function placeOf({ file, offset }: RowDamage): string {
  return `${basename(file)}${offset === undefined ? '' : `, byte ${offset}`}`;
}

interface CheckedRows {
  readonly space: string;
  /** Of their keys. */
  readonly prefix: string;
  readonly check: CheckOfRow;
}

async function checkRows(
  { items }: CheckOptions,
  report: CheckReport,
  { space, prefix, check }: CheckedRows,
): Promise<void> {
  try {
    for await (const batch of items.scan(
      space,
      // `verifyItemStore` has named the damaged ones.
      { ...(space.startsWith(baseSpaces) ? itemRange({ prefix }) : { prefix }), skipDamaged: true },
    )) {
      for (const row of batch) {
        const problem = await problemOf(row, report, check);
        if (problem === undefined) continue;
        const again = await items.get(space, row.key);
        if (again?.equals(row.value)) addProblem(report, space, row.key, problem);
      }
    }
  } catch (cause) {
    if (!(cause instanceof RowsDamaged)) throw cause;
    const problem = `its rows cannot be read from some key on: ${String(cause)}`;
    addProblem(report, space, prefix, problem);
  }
}

/** The rows of indexes, which are before those of items. */
async function checkEntries({ items }: CheckOptions, report: CheckReport, space: string): Promise<void> {
  try {
    for await (const { key, problem } of checkIndexes(items, space)) {
      addProblem(report, space, key, problem);
    }
  } catch (cause) {
    if (cause instanceof RowsDamaged) {
      addProblem(report, space, '', `its indexes cannot be read: ${String(cause)}`);
    } else if (cause instanceof SyntaxError || cause instanceof TypeError) {
      const problem = `the declarations of its indexes cannot be read: ${cause.message}`;
      addProblem(report, space, '', problem);
    } else throw cause;
  }
}

async function checkCounts(
  { items, quarantine }: CheckOptions,
  report: CheckReport,
  space: string,
): Promise<void> {
  try {
    const { problems, repaired } = await checkCounters(items, space, quarantine !== undefined);
    report.recounted += repaired;
    for (const problem of problems) addProblem(report, space, '', problem);
  } catch (cause) {
    if (!(cause instanceof RowsDamaged || cause instanceof SyntaxError)) throw cause;
    const problem = `its counters cannot be compared: ${String(cause)}`;
    addProblem(report, space, '', problem);
  }
}

async function checkQuota(
  { items, quarantine }: CheckOptions,
  report: CheckReport,
  space: string,
): Promise<void> {
  const { problem, repaired } = await checkAccount(items, space, quarantine !== undefined);
  report.recounted += repaired;
  if (problem !== undefined) addProblem(report, space, '', problem);
}

async function problemOf(row: Row, report: CheckReport, check: CheckOfRow): Promise<string | undefined> {
  try {
    return await check(row, report);
  } catch (cause) {
    if (cause instanceof RowUnreadable) return cause.message;
    // Thrown for JSON that cannot be parsed, or that is not what the row should hold.
    if (!(cause instanceof SyntaxError || cause instanceof TypeError)) throw cause;
    return `its row cannot be read: ${cause.message}`;
  }
}

function item({ key, value }: Row, report: CheckReport): string | undefined {
  report.items++;
  const stored = JSON.parse(value.toString()) as { key: unknown };
  return stored.key === key ? undefined : 'its row holds an item with another key';
}

function readable({ value }: Row): undefined {
  readRow(value);
}

function driveRows(options: CheckOptions, space: string): Readonly<Record<string, CheckOfRow>> {
  async function content(row: Row, report: CheckReport): Promise<string | undefined> {
    const named = namedContent(row);
    if (named === undefined) return undefined;
    return await contentProblem(options, space, named, (bytes) => {
      report.bytes += bytes;
    });
  }

  return {
    [anyFile]: (row, report) => {
      report.files++;
      return content(row, report);
    },
    [uploadKey('')]: ({ value }, report) => {
      report.uploads++;
      if (readRow<UploadRow>(value).expiresAtSeconds <= nowSeconds(options.clock)) report.uploadsOutOfDate++;
      return undefined;
    },
    [anyPart]: async (row, report) => {
      report.parts++;
      const problem = await content(row, report);
      return problem !== undefined && (await isOfClosedUpload(options.items, space, row.key))
        ? undefined
        : problem;
    },
    [anyTrash]: content,
    [anyRestored]: readable,
    [anyLinked]: readable,
    [anyListed]: readable,
    [folderKey('')]: readable,
    [keptKey]: readable,
    [anyGarbage]: readable,
    [headerKey]: readable,
  };
}
