import type { ItemStore } from '../../engines/item-store.js';
import { isCopied } from './copy-marker.js';
import { namedBytes } from './named-blobs.js';
import { copiedBatches } from './row-batches.js';
import { rowBytes } from './row-digest.js';

export type CopyPhase = 'counting' | 'copying' | 'cleaning' | 'verifying';

/** The progress of a copy. */
export interface CopyProgress {
  readonly phase: CopyPhase;
  /** Rows of the source that were handled in this phase. */
  readonly rows: number;
  readonly blobs: number;
  /** Of the blobs that were copied (or, when verifying, read). */
  readonly bytes: number;
  /** 0 to 1, by bytes of rows and blobs; undefined while it is not known. */
  readonly share?: number | undefined;
  /** Since the phase began. */
  readonly seconds: number;
}

export type Meter = ReturnType<typeof createMeter>;

const reportEveryMs = 1000;

/** Counts, and calls `listen` at the beginning of a phase and at most once a second. */
export function createMeter(listen: (progress: CopyProgress) => void) {
  let phase: CopyPhase = 'counting';
  let totalBytes: number | undefined;
  let beganMs = 0;
  let reportedMs = 0;
  let rows = 0;
  let blobs = 0;
  let bytes = 0;
  let passedBytes = 0;

  function report(): void {
    reportedMs = performance.now();
    // The source grows while it is copied.
    const share = totalBytes === undefined ? undefined : Math.min(1, passedBytes / Math.max(1, totalBytes));
    listen({ phase, rows, blobs, bytes, share, seconds: (reportedMs - beganMs) / 1000 });
  }

  function reportInTime(): void {
    if (performance.now() - reportedMs >= reportEveryMs) report();
  }

  return {
    /** `totalBytes`: the bytes that will have passed at the end, if known. */
    begin(next: CopyPhase, total?: number): void {
      phase = next;
      totalBytes = total;
      beganMs = performance.now();
      rows = blobs = bytes = passedBytes = 0;
      report();
    },
    row(): void {
      rows++;
      reportInTime();
    },
    blob(): void {
      blobs++;
    },
    /** Bytes of a blob that were moved. */
    moved(count: number): void {
      bytes += count;
      passedBytes += count;
      reportInTime();
    },
    /** Bytes of rows and blobs that are at the destination now: moved, or there before. */
    passed(count: number): void {
      passedBytes += count;
    },
    /** The bytes moved and passed in this phase. */
    passedBytes: () => passedBytes,
  };
}

/** Reads all rows of a store to count what there is to copy: the bytes of rows and of blobs. */
export async function countBytes(
  items: ItemStore,
  meter: Meter,
  betweenSteps: () => Promise<void>,
): Promise<number> {
  meter.begin('counting');
  let bytes = 0;
  for await (const space of items.spaces('')) {
    if (!isCopied(space)) continue;
    for await (const batch of copiedBatches(items, space)) {
      await betweenSteps();
      for (const row of batch) {
        bytes += rowBytes(row) + namedBytes(space, row);
        meter.row();
      }
    }
  }
  return bytes;
}
