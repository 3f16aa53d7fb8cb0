export interface PutFileProgress {
  /** Bytes; never fewer than before. */
  readonly sent: number;
  /** Bytes of the whole file. Undefined for a stream until its end is reached. */
  readonly total: number | undefined;
}

export interface GetFileProgress {
  /** Bytes; never fewer than before. */
  readonly received: number;
  /** Bytes of the file, or of the range. Undefined until the end if the service does not announce it. */
  readonly total: number | undefined;
}

/** How much of a file has been sent, over all of its parts. */
export type UploadProgress = ReturnType<typeof trackUpload>;

/**
 * Reports how much has been sent: never less than before, and all of it only at the `end`. `total`: the bytes of the file, if
 * they are known.
 */
export function trackUpload(
  total: number | undefined,
  onProgress: ((progress: PutFileProgress) => void) | undefined,
) {
  let sent = 0;
  let known = 0;
  let reported = 0;
  const report = (whole: number | undefined) => {
    // A part that is sent again starts at 0, but the reported progress never decreases.
    if (sent <= reported) return;
    reported = sent;
    onProgress?.({ sent, total: whole });
  };
  return {
    /** Begins a part of `size` bytes. The returned function takes how many bytes of the part have been sent. */
    part(size: number) {
      known += size;
      let ofPart = 0;
      return (bytes: number) => {
        sent += Math.min(bytes, size) - ofPart;
        ofPart = Math.min(bytes, size);
        // The whole is reported only when all of it is stored.
        if (sent < (total ?? Number.POSITIVE_INFINITY)) report(total);
      };
    },
    end() {
      sent = known;
      reported = -1;
      report(known);
    },
  };
}

/** How much of a file has arrived. */
export type DownloadProgress = ReturnType<typeof trackDownload>;

/** Reports each arrival but the one that completes a known `total`: all of it is reported at the `end`. */
export function trackDownload(
  total: number | undefined,
  onProgress: ((progress: GetFileProgress) => void) | undefined,
) {
  let received = 0;
  return {
    add(bytes: number) {
      received += bytes;
      if (received !== total) onProgress?.({ received, total });
    },
    end: () => onProgress?.({ received, total: received }),
  };
}
