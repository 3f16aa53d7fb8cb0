import type { GetFileProgress, PutFileProgress } from './drive.js';

/** What has been sent of a file, over all its parts. */
export interface Progress {
  /** Begins a part of so many bytes; gives what is to be told how many of them have left. */
  part(size: number): (bytes: number) => void;
  end(): void;
}

export function trackProgress(
  total: number | undefined,
  onProgress: ((progress: PutFileProgress) => void) | undefined,
): Progress {
  let sent = 0;
  let known = 0;
  let told = 0;
  const tell = (whole: number | undefined) => {
    // A part that is sent again starts anew; what was told before is not taken back.
    if (sent <= told) return;
    told = sent;
    onProgress?.({ sent, total: whole });
  };
  return {
    part(size) {
      known += size;
      let ofPart = 0;
      return (bytes) => {
        sent += Math.min(bytes, size) - ofPart;
        ofPart = Math.min(bytes, size);
        // All of it only when all is stored.
        if (sent < (total ?? Number.POSITIVE_INFINITY)) tell(total);
      };
    },
    end() {
      sent = known;
      told = -1;
      tell(known);
    },
  };
}

/** What has arrived of a file. */
export interface DownloadProgress {
  add(bytes: number): void;
  end(): void;
}

/** Reports each arrival, and all of it once: with the last byte if `total` is known, else at the end. */
export function trackDownload(
  total: number | undefined,
  onProgress: ((progress: GetFileProgress) => void) | undefined,
): DownloadProgress {
  let received = 0;
  return {
    add(bytes) {
      received += bytes;
      if (received !== total) onProgress?.({ received, total });
    },
    end: () => onProgress?.({ received, total: received }),
  };
}
