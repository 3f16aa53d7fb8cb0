import { PageError } from '../api/errors.js';
import { formatBytes } from '../ui/format.js';

/** Without a place on the disk, a browser keeps all bytes until the end. */
const maxBytesInMemory = 512 * 1024 * 1024;

/** Where downloaded bytes go. */
export interface SavePlace {
  /** Writes the bytes as they come. Rejects with an `AbortError` after the signal, and then leaves no file. */
  write(bytes: ReadableStream<Uint8Array<ArrayBuffer>>, signal: AbortSignal): Promise<void>;
}

interface SavePicker {
  showSaveFilePicker?(options: { readonly suggestedName: string }): Promise<FileSystemFileHandle>;
}

/**
 * Asks where a file of this name is to be saved, if it is large or its size is not known, and the browser can write as
 * bytes come. Otherwise the browser saves it among its downloads, once all bytes are there. Call it right after a
 * click: only then may a page ask. Rejects with an `AbortError` if the user chooses no place, and with a `PageError` if
 * the file is too large.
 */
export async function choosePlace(label: string, size: number | undefined): Promise<SavePlace> {
  const { showSaveFilePicker } = window as SavePicker;
  if ((size === undefined || size > smallBytes) && showSaveFilePicker !== undefined) {
    return diskPlace(await showSaveFilePicker.call(window, { suggestedName: label }));
  }
  if (size !== undefined && size > maxBytesInMemory) throw tooLarge();
  return memoryPlace(label);
}

const joinedBytes = 1024 * 1024;
/** Smaller files are saved without asking for a place. */
const smallBytes = 64 * 1024 * 1024;

function diskPlace(handle: FileSystemFileHandle): SavePlace {
  return {
    async write(bytes, signal) {
      await bytes.pipeThrough(joined()).pipeTo(await handle.createWritable(), { signal });
    },
  };
}

/** Joins small chunks: each write to the disk takes milliseconds, and a zip of small files has three chunks for each. */
function joined(): TransformStream<Uint8Array<ArrayBuffer>, Blob> {
  let chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  return new TransformStream({
    transform(chunk, controller) {
      chunks.push(chunk);
      size += chunk.byteLength;
      if (size < joinedBytes) return;
      controller.enqueue(new Blob(chunks));
      chunks = [];
      size = 0;
    },
    flush: (controller) => controller.enqueue(new Blob(chunks)),
  });
}

function memoryPlace(label: string): SavePlace {
  return {
    async write(bytes, signal) {
      const chunks: Uint8Array<ArrayBuffer>[] = [];
      let size = 0;
      const kept = new WritableStream<Uint8Array<ArrayBuffer>>({
        write(chunk) {
          size += chunk.byteLength;
          if (size > maxBytesInMemory) throw tooLarge();
          chunks.push(chunk);
        },
      });
      await bytes.pipeTo(kept, { signal });
      saveBlob(chunks, label);
    },
  };
}

function saveBlob(chunks: Uint8Array<ArrayBuffer>[], label: string): void {
  // As bytes without a type: the browser saves it, and never shows it as a page of this origin.
  const url = URL.createObjectURL(new Blob(chunks, { type: 'application/octet-stream' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = label;
  link.click();
  // The browser has taken the bytes when the next task runs.
  setTimeout(() => URL.revokeObjectURL(url));
}

function tooLarge(): PageError {
  return new PageError(
    `This browser can save at most ${formatBytes(maxBytesInMemory)} from a page. Make links with Share, or use another browser.`,
  );
}
