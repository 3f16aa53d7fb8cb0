import { setMaxListeners } from 'node:events';
import { concurrencyOf } from '../http/concurrency.js';
import { openDeadline } from '../http/deadline.js';
import type { CallOptions } from '../http/endpoint.js';
import { BasedriveError } from '../http/error.js';

/** Options of `downloadFolder` and `uploadFolder`. Without `timeoutMs`, the call has no time limit. */
export interface FolderOptions extends CallOptions {
  /** Only files whose names begin with this. It is not a part of the paths: `a/` puts `a/b.txt` at `b.txt`. */
  readonly prefix?: string | undefined;
  /** Files at once, 1 or more; default 4. */
  readonly concurrency?: number | undefined;
  /** Called as bytes are transferred, and after each file, with the numbers so far. */
  readonly onProgress?: ((progress: FolderProgress) => void) | undefined;
}

export interface FolderProgress {
  /** Number of files that were transferred. */
  readonly files: number;
  /** Number of files that were there already. */
  readonly kept: number;
  /** Bytes that were transferred; never fewer than before. */
  readonly bytes: number;
}

export interface FolderResult extends FolderProgress {
  /** Files that were not transferred, and why; the others were. */
  readonly failed: readonly FolderFailure[];
}

export interface FolderFailure {
  /** The name in the drive, or the path below the folder. */
  readonly name: string;
  readonly error: Error;
}

/** What happens to one file. */
export type FileWork = (
  counted: (bytes: number) => void,
  signal: AbortSignal,
) => Promise<'kept' | 'done' | 'gone'>;

/** The name of a part of a file, which a download that was interrupted leaves behind. */
export const partialName = /^\.basedrive-[0-9a-f]{16}-[0-9a-f]{16}\.partial$/;

/** A file that cannot be transferred, while the others can. */
export class FileProblem extends Error {}

/** System errors that are about the path of one file. */
const pathErrors = ['EEXIST', 'EILSEQ', 'EINVAL', 'EISDIR', 'ENAMETOOLONG', 'ENOENT', 'ENOTDIR', 'ENOTEMPTY'];
const fileErrors = ['invalid', 'refused', 'not_found', 'condition_failed'];

/** Does the work on all files, several at once. After any failure that is not of one file, it stops and throws it. */
export async function transferAll(
  files: AsyncGenerator<readonly [name: string, work: FileWork], void, undefined>,
  { concurrency, onProgress, signal, timeoutMs }: FolderOptions,
): Promise<FolderResult> {
  const atOnce = concurrencyOf(concurrency);
  const deadline = openDeadline({ signal, timeoutMs });
  // Each file in progress listens. Node takes more than ten for a leak.
  setMaxListeners(0, deadline.signal);
  let failure: { readonly error: unknown } | undefined;
  const progress = { files: 0, kept: 0, bytes: 0 };
  const failed: FolderFailure[] = [];
  const report = () => onProgress?.({ ...progress });
  const counted = (bytes: number) => {
    progress.bytes += bytes;
    if (bytes > 0) report();
  };

  const worker = async () => {
    for (;;) {
      const ended = deadline.error();
      if (ended) throw ended;
      const { done, value } = await files.next();
      if (done) return;
      const [name, work] = value;
      try {
        const outcome = await work(counted, deadline.signal);
        if (outcome === 'done') progress.files++;
        if (outcome === 'kept') progress.kept++;
      } catch (error) {
        if (!isOfOneFile(error)) throw error;
        failed.push({ name, error });
      }
      report();
    }
  };
  const workers = Array.from({ length: atOnce }, async () => {
    try {
      await worker();
    } catch (error) {
      failure ??= { error };
      deadline.end(new BasedriveError('aborted', 'Another file could not be transferred'));
    }
  });
  await Promise.all(workers);
  await files.return();
  deadline.close();
  if (failure) throw failure.error;
  return { ...progress, failed };
}

function isOfOneFile(error: unknown): error is Error {
  if (error instanceof FileProblem) return true;
  if (error instanceof BasedriveError) return fileErrors.includes(error.code);
  return pathErrors.includes(String((error as NodeJS.ErrnoException | null)?.code));
}
