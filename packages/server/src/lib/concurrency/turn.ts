import type { Semaphore } from './semaphore.js';

/** A place that a semaphore gives, kept over several steps. */
export interface Turn {
  /** Resolves when it is held; at once if it is held already. */
  take(): Promise<void>;
  /** Gives it back, if it is held. Nobody may be waiting for it. */
  end(): void;
}

export function createTurn(semaphore: Semaphore): Turn {
  let release: (() => void) | undefined;
  return {
    async take() {
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
    end() {
      release?.();
      release = undefined;
    },
  };
}
