export type CopyPhase = 'counting' | 'copying' | 'cleaning' | 'verifying';

/** How far a copy has come. */
export interface CopyProgress {
  readonly phase: CopyPhase;
  /** Rows of the source that were gone through in this phase. */
  readonly rows: number;
  readonly blobs: number;
  /** Of the blobs that were copied (or, when verifying, read). */
  readonly bytes: number;
  /** 0 to 1, by bytes of rows and blobs; undefined while nobody knows. */
  readonly share?: number | undefined;
  /** Since the phase began. */
  readonly seconds: number;
}

export interface Meter {
  /** `totalBytes` is what will have passed in the end, when that is known. */
  begin(phase: CopyPhase, totalBytes?: number): void;
  row(): void;
  blob(): void;
  /** Bytes of a blob that were moved. */
  moved(bytes: number): void;
  /** Bytes of rows and blobs that need nothing more, moved or found to be there. */
  passed(bytes: number): void;
  /** Both together, in this phase. */
  passedBytes(): number;
}

const tellEveryMs = 1000;

/** Counts, and tells `listen` at the beginning of a phase and at most once a second. */
export function createMeter(listen: (progress: CopyProgress) => void): Meter {
  let phase: CopyPhase = 'counting';
  let totalBytes: number | undefined;
  let beganMs = 0;
  let toldMs = 0;
  let rows = 0;
  let blobs = 0;
  let bytes = 0;
  let passedBytes = 0;

  function tell(): void {
    toldMs = performance.now();
    // The source grows while it is copied.
    const share = totalBytes === undefined ? undefined : Math.min(1, passedBytes / Math.max(1, totalBytes));
    listen({ phase, rows, blobs, bytes, share, seconds: (toldMs - beganMs) / 1000 });
  }

  function tellInTime(): void {
    if (performance.now() - toldMs >= tellEveryMs) tell();
  }

  return {
    begin(next, total) {
      phase = next;
      totalBytes = total;
      beganMs = performance.now();
      rows = blobs = bytes = passedBytes = 0;
      tell();
    },
    row() {
      rows++;
      tellInTime();
    },
    blob() {
      blobs++;
    },
    moved(count) {
      bytes += count;
      passedBytes += count;
      tellInTime();
    },
    passed(count) {
      passedBytes += count;
    },
    passedBytes: () => passedBytes,
  };
}
