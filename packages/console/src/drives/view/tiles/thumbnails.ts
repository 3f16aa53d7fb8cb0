import { effect } from '@preact/signals';
import { client, key } from '../../../api/session.js';
import type { FileFacts } from '../../entry.js';
import { mediaType } from '../preview-kind.js';

/** Images that are read whole for a thumbnail. Larger ones keep their icon: the service makes no smaller ones. */
const maxBytes = 8 * 1024 * 1024;
/** The width of a thumbnail in pixels: twice that of a tile, for sharp screens. */
const width = 320;
/** Images that are read at once. */
const atOnce = 3;
/** Thumbnails that are kept, of some 250 KB each. */
const kept = 100;

const types = /^image\/(png|jpeg|gif|webp|avif|bmp)$/;
/** Files that are no images, whatever their types say, of which that is remembered. */
const keptUnreadable = 10_000;
/** By what the file is, the one that was used last at the end. */
const cache = new Map<string, ImageBitmap>();
const unreadable = new Set<string>();

// Nothing of another key's project is kept.
effect(() => {
  void key.value;
  for (const thumbnail of cache.values()) thumbnail.close();
  cache.clear();
  unreadable.clear();
});

interface Waiting {
  readonly signal: AbortSignal;
  start(): Promise<void>;
}
let waiting: readonly Waiting[] = [];
let running = 0;

/** Whether a file gets a thumbnail, as far as is known. */
export function hasThumbnail(drive: string, file: FileFacts): boolean {
  const { content_type, size } = file;
  return (
    size > 0 && size <= maxBytes && types.test(mediaType(content_type)) && !unreadable.has(idOf(drive, file))
  );
}

/** The thumbnail of a file, if it was made and is kept. */
export function keptThumbnail(drive: string, file: FileFacts): ImageBitmap | undefined {
  const id = idOf(drive, file);
  const thumbnail = cache.get(id);
  if (thumbnail !== undefined) {
    cache.delete(id);
    cache.set(id, thumbnail);
  }
  return thumbnail;
}

/** Makes the thumbnail of a file. Those that were asked for last come first. Undefined if the browser cannot read it. */
export function makeThumbnail(
  drive: string,
  file: FileFacts,
  signal: AbortSignal,
): Promise<ImageBitmap | undefined> {
  return new Promise((resolve, reject) => {
    waiting = [...waiting, { signal, start: () => read(drive, file, signal).then(resolve, reject) }];
    startWaiting();
  });
}

function startWaiting(): void {
  waiting = waiting.filter(({ signal }) => !signal.aborted);
  while (running < atOnce) {
    const next = waiting.at(-1);
    if (next === undefined) return;
    waiting = waiting.slice(0, -1);
    running++;
    void next.start().finally(() => {
      running--;
      startWaiting();
    });
  }
}

async function read(drive: string, file: FileFacts, signal: AbortSignal): Promise<ImageBitmap | undefined> {
  const asked = key.peek();
  const found = await client().Drive(drive).get(file.name, { signal });
  if (found === null) return undefined;
  const blob = new Blob([await found.arrayBuffer()], { type: mediaType(file.content_type) });
  // What is no image, whatever its type says, is refused here.
  const thumbnail = await createImageBitmap(blob, { resizeWidth: width, resizeQuality: 'medium' }).catch(
    () => undefined,
  );
  if (key.peek() !== asked) {
    thumbnail?.close();
    return undefined;
  }
  const id = idOf(drive, file);
  if (thumbnail === undefined) {
    if (unreadable.size >= keptUnreadable) unreadable.clear();
    unreadable.add(id);
    return undefined;
  }
  cache.set(id, thumbnail);
  for (const [oldest, old] of cache) {
    if (cache.size <= kept) break;
    cache.delete(oldest);
    old.close();
  }
  return thumbnail;
}

function idOf(drive: string, { name, etag }: FileFacts): string {
  return JSON.stringify([drive, name, etag]);
}
