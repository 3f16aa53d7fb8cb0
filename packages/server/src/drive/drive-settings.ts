import { type Change, headerKey, type ItemStore } from '../engines/item-store.js';
import { type DriveSettingsRow, jsonRow, readRow } from './rows.js';

/**
 * The settings of a drive are the header of its space: every change of a file reads them in its own transaction, and a
 * drive without settings pays nothing for it.
 */

export function readSettings(header: Buffer | undefined): DriveSettingsRow {
  return header === undefined ? {} : readRow<DriveSettingsRow>(header);
}

export async function settingsOf(items: ItemStore, space: string): Promise<DriveSettingsRow> {
  return readSettings(await items.get(space, headerKey));
}

/** Sets for how many seconds the trash keeps files; null: as the server is set. Throws `HeadersUnsupported`. */
export async function setTrash(items: ItemStore, space: string, seconds: number | null): Promise<void> {
  await items.transact(space, [headerKey], ([header]): Change<undefined> => {
    const { trashSeconds: _, ...others } = readSettings(header);
    const settings: DriveSettingsRow = seconds === null ? others : { ...others, trashSeconds: seconds };
    const isNone = Object.keys(settings).length === 0;
    if (!isNone) return { puts: [jsonRow(headerKey, settings)], result: undefined };
    return { deletes: header === undefined ? [] : [headerKey], result: undefined };
  });
}
