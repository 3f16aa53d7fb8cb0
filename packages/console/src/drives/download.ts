import { client } from '../api/session.js';

/** Larger files are written to the disk as they come, where the browser can. */
const maxInMemory = 64 * 1024 * 1024;

interface SavePicker {
  showSaveFilePicker?(options: { readonly suggestedName: string }): Promise<FileSystemFileHandle>;
}

/** Saves a file of a drive on the user's disk. Rejects with an `AbortError` if the user chooses no place for it. */
export async function download(drive: string, name: string, size: number): Promise<void> {
  const label = name.slice(name.lastIndexOf('/') + 1);
  const { showSaveFilePicker } = window as SavePicker;
  if (size > maxInMemory && showSaveFilePicker !== undefined) {
    // The place is asked for first: a browser allows that only right after a click.
    const place = await showSaveFilePicker.call(window, { suggestedName: label });
    const found = await open(drive, name);
    await found.stream().pipeTo(await place.createWritable());
    return;
  }
  const found = await open(drive, name);
  // As bytes without a type: the browser saves it, and never shows it as a page of this origin.
  const url = URL.createObjectURL(
    new Blob([await found.arrayBuffer()], { type: 'application/octet-stream' }),
  );
  const link = document.createElement('a');
  link.href = url;
  link.download = label;
  link.click();
  // The browser has taken the bytes when the next task runs.
  setTimeout(() => URL.revokeObjectURL(url));
}

async function open(drive: string, name: string) {
  const found = await client().Drive(drive).get(name);
  if (found === null) throw new Error('The file is gone');
  return found;
}
