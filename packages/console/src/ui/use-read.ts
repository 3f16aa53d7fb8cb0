import { useEffect, useMemo, useState } from 'preact/hooks';

interface Found<Value> {
  /** Undefined until it is read. */
  readonly value?: Value | undefined;
  /** Why the last reading has failed; undefined while it is read again. */
  readonly failure?: unknown;
}

interface Read<Value> extends Found<Value> {
  /** Reads it again. */
  retry(): void;
}

/**
 * Reads something while a component is shown: anew for another `of`, and with what was read before still there after
 * another `again`, or a retry. What is not shown any more is ended by the signal. Without `read` nothing is read.
 */
export function useRead<Value>(
  read: ((signal: AbortSignal) => Promise<Value>) | undefined,
  of: readonly unknown[],
  again: readonly unknown[] = [],
): Read<Value> {
  const asked = useMemo(() => ({}), of);
  const [attempt, setAttempt] = useState(0);
  const [found, setFound] = useState<Found<Value> & { readonly of?: object }>({});
  const { value, failure }: Found<Value> = found.of === asked ? found : {};
  useEffect(() => {
    const ended = new AbortController();
    const show = (next: Found<Value>) => {
      if (!ended.signal.aborted)
        setFound((before) => ({ ...(before.of === asked && before), ...next, of: asked }));
    };
    read?.(ended.signal).then(
      (next) => show({ value: next, failure: undefined }),
      (cause) => show({ failure: cause }),
    );
    return () => ended.abort();
  }, [asked, attempt, ...again]);
  return {
    value,
    failure,
    retry() {
      setFound(({ failure: _, ...kept }) => kept);
      setAttempt((count) => count + 1);
    },
  };
}
