import { useEffect, useState } from 'preact/hooks';
import { client } from '../api/session.js';
import { sideBySide } from '../api/side-by-side.js';

/** What a base or drive holds. */
export interface Size {
  /** Items or files. */
  readonly count: number;
  readonly bytes: number;
  /** Whether it is what there is now. */
  readonly exact: boolean;
  /** If not: the second at which it was counted. */
  readonly asOf: number | undefined;
}

interface Sizes {
  /** Those of all names, once each was asked for; what is known of some of them would be a wrong sum. */
  readonly all: ReadonlyMap<string, Size> | undefined;
  readonly sizes: ReadonlyMap<string, Size>;
  readonly readAtMs: number;
}

interface Found extends Pick<Sizes, 'sizes' | 'readAtMs'> {
  /** The names of which these are all sizes. */
  readonly whole?: readonly string[];
}

/** The sizes of these bases or drives, read a few at a time; a name that cannot be read is left out. */
export function useSizes(kind: 'bases' | 'drives', names: readonly string[]): Sizes {
  const [found, setFound] = useState<Found>({ sizes: new Map(), readAtMs: Date.now() });
  useEffect(() => {
    const ended = new AbortController();
    const sizes = new Map<string, Size>();
    const read = async (name: string) => {
      const size = await readSize(kind, name, ended.signal).catch(() => undefined);
      ended.signal.throwIfAborted();
      if (size !== undefined) sizes.set(name, size);
      setFound({ sizes: new Map(sizes), readAtMs: Date.now() });
    };
    sideBySide(names, read).then(
      () => ended.signal.aborted || setFound({ sizes, readAtMs: Date.now(), whole: names }),
      () => {},
    );
    return () => ended.abort();
  }, [kind, names]);
  return { ...found, all: found.whole === names ? found.sizes : undefined };
}

/** Undefined if nobody has counted it yet. */
async function readSize(
  kind: 'bases' | 'drives',
  name: string,
  signal: AbortSignal,
): Promise<Size | undefined> {
  if (kind === 'bases') {
    const { items, ...size } = await client().Base(name).stats({ signal });
    return sizeOf(items, size);
  }
  const { files, ...size } = await client().Drive(name).stats({ signal });
  return sizeOf(files, size);
}

function sizeOf(
  count: number | undefined,
  { bytes = 0, exact, as_of: asOf }: { bytes?: number; exact: boolean; as_of?: number },
): Size | undefined {
  return count === undefined ? undefined : { count, bytes, exact, asOf };
}
