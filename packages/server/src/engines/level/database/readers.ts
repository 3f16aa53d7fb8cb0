/** Who reads an open LevelDB. */
export interface Readers {
  /** Keeps the database from being reopened while a reader uses it. Call the result when the reader ends. */
  hold(): () => void;
  /** Notes a reader that lets the database be reopened. Call the result when the reader ends. */
  note(): () => void;
  /** The readers that are open now. */
  older(): OlderReaders;
  /** Resolves when nobody holds the database, or after this time. */
  gone(maxMs: number): Promise<void>;
}

export interface OlderReaders {
  readonly areGone: boolean;
}

export function createReaders(): Readers {
  let held = 0;
  let onGone: (() => void) | undefined;
  /** The readers since `older` was called. */
  let recent = { open: 0 };
  /** Those before. */
  let former: { readonly open: number }[] = [];

  function note(): () => void {
    const group = recent;
    group.open++;
    return () => {
      group.open--;
    };
  }

  return {
    note,

    hold() {
      const release = note();
      held++;
      return () => {
        release();
        held--;
        if (held === 0) onGone?.();
      };
    },

    older() {
      const older = [...former, recent].filter(({ open }) => open > 0);
      former = older;
      recent = { open: 0 };
      return {
        get areGone() {
          return older.every(({ open }) => open === 0);
        },
      };
    },

    async gone(maxMs) {
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
