import type { Semaphore } from './semaphore.js';

/** A place that a semaphore gives, kept over several steps. */
export type Turn = ReturnType<typeof createTurn>;

export function createTurn(semaphore: Semaphore) {
  let release: (() => void) | undefined;
  return {
    /** Resolves when it is held; at once if it is held already. */
    async take(): Promise<void> {
      if (release !== undefined) return;
      await new Promise<void>((resolve) => {
        void semaphore(
          () =>
            new Promise<void>((ended) => {
              release = ended;
              resolve();
            }),
        );
      });
    },
    /** Gives it back, if it is held. Nobody may be waiting for it. */
    end(): void {
      release?.();
      release = undefined;
    },
  };
}
