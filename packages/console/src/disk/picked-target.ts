import type { SaveTarget } from './write-all.js';

/** What Chromium has where the page came over HTTPS or from this machine. */
export interface SavePicker {
  showSaveFilePicker?(options: { readonly suggestedName: string }): Promise<FileSystemFileHandle>;
}

/** A file that the user has chosen. It gets its new content when all is there. */
export function pickedTarget(handle: FileSystemFileHandle): SaveTarget {
  let file: FileSystemWritableFileStream | undefined;
  return {
    async open() {
      file = await handle.createWritable();
    },
    async write(bytes) {
      await file?.write(bytes);
    },
    async close() {
      await file?.close();
    },
    async drop() {
      // It rejects where the file is broken already.
      await file?.abort().catch(() => {});
      // The browser has made an empty file when the place was chosen.
      const { remove } = handle as { remove?(): Promise<void> };
      if ((await handle.getFile()).size === 0) await remove?.call(handle);
    },
  };
}
