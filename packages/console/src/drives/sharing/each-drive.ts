import { useEffect, useState } from 'preact/hooks';
import { drives } from '../../api/catalog.js';

/** Reads something of every drive whose name is known, and of those whose names are read later. */
export function useEachDrive(read: (drive: string, signal: AbortSignal) => Promise<unknown>) {
  const names = drives.names.value;
  const state = drives.state.value;
  const [attempt, setAttempt] = useState(0);
  const [found, setFound] = useState<{ readonly of?: readonly string[]; readonly failure?: unknown }>({});
  useEffect(() => {
    // All names, however many.
    if (state === 'more') void drives.more();
    const ended = new AbortController();
    const readAll = async () => {
      for (const drive of names) await read(drive, ended.signal);
      setFound({ of: names });
    };
    readAll().catch((failure) => {
      if (!ended.signal.aborted) setFound({ failure });
    });
    return () => ended.abort();
  }, [names, state, attempt]);
  return {
    names,
    hasRead: found.of === names && state === 'complete',
    failure: found.failure ?? (state === 'failed' ? drives.failure.value : undefined),
    retry: () => {
      void drives.reload();
      setAttempt((count) => count + 1);
    },
  };
}
