import { useEffect } from 'preact/hooks';
import { client } from '../../api/session.js';
import { useRead } from '../../ui/use-read.js';

/** Milliseconds between two looks at an index that is being built. */
const lookEveryMs = 1000;

/** The indexes of a base, read when they are wanted, and again while one of them is built. */
export function useIndexes(base: string, isWanted = true) {
  const read = (signal: AbortSignal) => client().Base(base).indexes({ signal });
  const { value: list, failure, retry: reload } = useRead(isWanted ? read : undefined, [base, isWanted]);
  useEffect(() => {
    if (list?.some(({ state }) => state === 'building') !== true) return;
    const timer = setTimeout(reload, lookEveryMs);
    return () => clearTimeout(timer);
  }, [list]);
  return { list, failure, reload };
}
