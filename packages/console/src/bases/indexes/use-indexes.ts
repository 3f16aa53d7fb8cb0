import type { CountedIndexInfo } from 'basedrive-client';
import { useEffect, useState } from 'preact/hooks';
import { client } from '../../api/session.js';

interface Indexes {
  /** Undefined until they are read, and if they cannot be. */
  readonly list: readonly CountedIndexInfo[] | undefined;
  readonly failure: unknown;
  /** Reads them again. */
  reload(): void;
}

/** Milliseconds between two looks at an index that is being built. */
const lookEveryMs = 1000;

/** The indexes of a base, read when they are wanted, and again while one of them is built. */
export function useIndexes(base: string, isWanted = true): Indexes {
  const [attempt, setAttempt] = useState(0);
  const [found, setFound] = useState<Omit<Indexes, 'reload'>>({ list: undefined, failure: undefined });
  const reload = () => setAttempt((count) => count + 1);

  useEffect(() => {
    if (!isWanted) return;
    const ended = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    client()
      .Base(base)
      .indexes({ signal: ended.signal })
      .then(
        (list) => {
          if (ended.signal.aborted) return;
          setFound({ list, failure: undefined });
          if (list.some(({ state }) => state === 'building')) timer = setTimeout(reload, lookEveryMs);
        },
        (failure) => {
          if (!ended.signal.aborted) setFound({ list: undefined, failure });
        },
      );
    return () => {
      ended.abort();
      clearTimeout(timer);
    };
  }, [base, isWanted, attempt]);

  return { ...found, reload };
}
