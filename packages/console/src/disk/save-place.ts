import { PageError } from '../api/errors.js';
import { formatBytes } from '../ui/format.js';
import { downloadTarget, maxKeptBytes } from './download-target.js';
import { pickedTarget, type SavePicker } from './picked-target.js';
import { writeAll } from './write-all.js';

/** Where downloaded bytes go. */
export interface SavePlace {
  /**
   * Writes the bytes as they come; the page holds a block of them at a time, whatever their number. Rejects with an
   * `AbortError` after the signal, with a `PageError` if the browser has no room, and then leaves no file.
   */
  write(bytes: ReadableStream<Uint8Array<ArrayBuffer>>, signal: AbortSignal): Promise<void>;
}

/** Smaller files are saved without asking for a place. */
const smallBytes = 64 * 1024 * 1024;

/**
 * Asks where a file of this name is to be saved, if it is large or its size is not known, and the browser can write
 * there as bytes come. Otherwise it is `downloadPlace`. Call it right after a click: only then may a page ask. Rejects
 * with an `AbortError` if the user chooses no place, and with a `PageError` if the file is too large.
 */
export async function choosePlace(label: string, size: number | undefined): Promise<SavePlace> {
  const { showSaveFilePicker } = window as SavePicker;
  if ((size === undefined || size > smallBytes) && showSaveFilePicker !== undefined) {
    const handle = await showSaveFilePicker.call(window, { suggestedName: label });
    return { write: (bytes, signal) => writeAll(bytes, pickedTarget(handle), signal) };
  }
  const max = await maxKeptBytes();
  if (size !== undefined && size > max)
    throw new PageError(
      `This browser can save at most ${formatBytes(max)} from a page. Make links with Share instead.`,
    );
  return downloadPlace(label);
}

/** The browser saves the file among its downloads, once all bytes are there. It asks nothing. */
export function downloadPlace(label: string): SavePlace {
  return { write: (bytes, signal) => writeAll(bytes, downloadTarget(label), signal) };
}
