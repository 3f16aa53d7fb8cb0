/** Who reads an open LevelDB. */
export type Readers = ReturnType<typeof createReaders>;

export interface OlderReaders {
  readonly areGone: boolean;
}

export function createReaders() {
  let held = 0;
  let onGone: (() => void) | undefined;
  /** The readers since `older` was called. */
  let recent = { open: 0 };
  /** Those before. */
  let former: { readonly open: number }[] = [];

  /** Notes a reader that lets the database be reopened. Call the result when the reader ends. */
  function note(): () => void {
    const group = recent;
    group.open++;
    return () => {
      group.open--;
    };
  }

  return {
    note,

    /** Keeps the database from being reopened while a reader uses it. Call the result when the reader ends. */
    hold(): () => void {
      const release = note();
      held++;
      return () => {
        release();
        held--;
        if (held === 0) onGone?.();
      };
    },

    /** The readers that are open now. */
    older(): OlderReaders {
      const older = [...former, recent].filter(({ open }) => open > 0);
      former = older;
      recent = { open: 0 };
      return {
        get areGone() {
          return older.every(({ open }) => open === 0);
        },
      };
    },

    /** Resolves when nobody holds the database, or after this time. */
    async gone(maxMs: number): Promise<void> {
      if (held === 0) return;
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        onGone = resolve;
        timer = setTimeout(resolve, maxMs);
      });
      clearTimeout(timer);
      onGone = undefined;
    },
  };
}
