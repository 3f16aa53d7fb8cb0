import { batch, effect, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { explain, isAborted, PageError } from '../../api/errors.js';
import { client, key } from '../../api/session.js';
import { choosePlace } from '../../disk/save-place.js';
import { countOf } from '../../ui/format.js';
import { tell, tellFailure } from '../../ui/toast.js';
import { visible } from '../../ui/visible.js';
import type { Entry } from '../entry.js';
import { createSpeed } from '../speed.js';
import { zipOf } from './zip.js';

/** Bytes on their way from a drive to the user's disk: a file, or a zip of several. */
export interface Download {
  readonly id: number;
  readonly drive: string;
  /** The name of the saved file. */
  readonly label: string;
  /** Bytes of the file; undefined for a zip, whose size is known at its end. */
  readonly size: number | undefined;
  readonly received: Signal<number>;
  /** Files of a zip that have arrived. */
  readonly files: Signal<number>;
  /** Bytes a second over the last moments. */
  readonly speed: Signal<number>;
  readonly state: Signal<'receiving' | 'failed'>;
  readonly problem: Signal<string>;
  readonly stop: AbortController;
}

const list = signal<readonly Download[]>([]);
let lastId = 0;

/** The downloads in progress, and those that have failed. */
export const downloads: ReadonlySignal<readonly Download[]> = list;

// Nothing is read after the sign-out.
effect(() => {
  if (key.value !== undefined) return;
  for (const { stop } of list.peek()) stop.abort();
  list.value = [];
});

/** Saves a file of a drive. Call it right after a click. */
export function downloadFile(drive: string, { name, label, file }: Entry): void {
  const size = file?.size ?? 0;
  start({ drive, label, size }, async (download) => {
    const shown = progressOf(download);
    const found = await client()
      .Drive(drive)
      .get(name, {
        signal: download.stop.signal,
        onProgress: ({ received }) => shown(received, 0),
      });
    if (found === null) throw new PageError('The file is gone.');
    return { bytes: found.stream(), done: () => undefined };
  });
}

/** Saves files and folders of a folder as a zip. Call it right after a click. */
export function downloadZip(drive: string, folder: string, entries: readonly Entry[]): void {
  const [first] = entries;
  const only = entries.length === 1 && first !== undefined ? first.label : folder;
  const label = `${only.split('/').filter(Boolean).at(-1) ?? drive}.zip`;
  const sizes = entries.map(({ file }) => file?.size);
  const size = sizes.includes(undefined)
    ? undefined
    : sizes.reduce<number>((sum, one) => sum + (one ?? 0), 0);
  start({ drive, label, size }, async (download) => {
    const shown = progressOf(download);
    let bytes = 0;
    let files = 0;
    const gone: string[] = [];
    const progress = {
      onBytes(more: number) {
        bytes += more;
        shown(bytes, files);
      },
      onFile(name: string, isThere: boolean) {
        if (isThere) files++;
        else gone.push(name);
      },
    };
    return {
      bytes: await zipOf({ drive, folder, signal: download.stop.signal }, entries, progress),
      done() {
        if (gone.length > 0) tellFailure(new PageError(missingText(gone, label)));
        return `Saved ${countOf(files, 'file')} as ${visible(label)}`;
      },
    };
  });
}

/** Says which files are not in a zip: the first by their names, the others by their number. */
function missingText(gone: readonly string[], label: string): string {
  const named = gone.slice(0, namedFiles).map(visible);
  const others = gone.length > namedFiles ? [countOf(gone.length - namedFiles, 'more', 'more')] : [];
  return `Deleted meanwhile, so not in ${visible(label)}: ${[...named, ...others].join(', ')}`;
}

/** Ends a download and takes it off the list. What has arrived of it is not kept. */
export function endDownload(download: Download): void {
  download.stop.abort();
  list.value = list.value.filter((other) => other !== download);
}

interface Source {
  readonly bytes: ReadableStream<Uint8Array<ArrayBuffer>>;
  /** What is said when all is saved; nothing for a file, which the browser shows. */
  done(): string | undefined;
}

function start(
  facts: Pick<Download, 'drive' | 'label' | 'size'>,
  open: (download: Download) => Promise<Source>,
): void {
  choosePlace(facts.label, facts.size)
    .then(async (place) => {
      const download: Download = {
        ...facts,
        id: ++lastId,
        received: signal(0),
        files: signal(0),
        speed: signal(0),
        state: signal('receiving'),
        problem: signal(''),
        stop: new AbortController(),
      };
      list.value = [...list.value, download];
      try {
        const { bytes, done } = await open(download);
        await place.write(bytes, download.stop.signal);
        endDownload(download);
        const text = done();
        if (text !== undefined) tell(text);
      } catch (cause) {
        if (isAborted(cause) || download.stop.signal.aborted) return;
        download.problem.value = explain(cause);
        download.state.value = 'failed';
        // Nothing more is read.
        download.stop.abort();
      }
    })
    .catch(tellFailure);
}

/** Shows ten times a second what has arrived: bytes and files come more often. */
function progressOf(download: Download): (bytes: number, files: number) => void {
  const measure = createSpeed();
  let isWaiting = false;
  let latest = { bytes: 0, files: 0 };
  return (bytes, files) => {
    latest = { bytes, files };
    if (isWaiting) return;
    isWaiting = true;
    setTimeout(() => {
      isWaiting = false;
      batch(() => {
        download.received.value = latest.bytes;
        download.files.value = latest.files;
        download.speed.value = measure(latest.bytes);
      });
    }, showEveryMs);
  };
}

const showEveryMs = 100;
const namedFiles = 10;
