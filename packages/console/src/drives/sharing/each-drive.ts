import { drives } from '../../api/catalog.js';
import { useRead } from '../../ui/use-read.js';

/** Reads something of every drive whose name is known, and of those whose names are read later. */
export function useEachDrive(read: (drive: string, signal: AbortSignal) => Promise<unknown>) {
  const names = drives.names.value;
  const state = drives.state.value;
  const readAll = async (signal: AbortSignal) => {
    // All names, however many.
    if (state === 'more') void drives.more();
    for (const drive of names) await read(drive, signal);
    return true;
  };
  const { value: hasRead = false, failure, retry } = useRead(readAll, [names], [state]);
  return {
    names,
    hasRead: hasRead && state === 'complete',
    failure: failure ?? (state === 'failed' ? drives.failure.value : undefined),
    retry: () => {
      void drives.reload();
      retry();
    },
  };
}
