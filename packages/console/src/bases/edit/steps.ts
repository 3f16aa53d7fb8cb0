/** States that can be returned to, step by step: first those that are not saved, then what was saved. */
export interface Steps<T> {
  /** Notes the present state as the one that a step back leads to. What is typed in one go, in `typed`, is one step. */
  begin(present: T, typed?: string): void;
  /** The state before the last step. Without one, the last save is taken back, and undefined is given. */
  back(): T | undefined;
  /** Notes how a save is taken back. It gives false if that is done already. */
  saved(takeBack: () => boolean): void;
  /** Forgets the steps, apart from one that leads to `left`: what was saved or discarded is not staged again. */
  forget(left?: T): void;
}

/** More are forgotten, the oldest first. */
const maxSteps = 200;

export function createSteps<T>(): Steps<T> {
  const states: T[] = [];
  const saves: (() => boolean)[] = [];
  let lastTyped: string | undefined;
  return {
    begin(present, typed) {
      const isSameStep = typed !== undefined && typed === lastTyped;
      lastTyped = typed;
      if (isSameStep) return;
      states.push(present);
      if (states.length > maxSteps) states.shift();
    },
    back() {
      lastTyped = undefined;
      const before = states.pop();
      if (before === undefined) while (saves.length > 0) if (saves.pop()?.() === true) break;
      return before;
    },
    saved(takeBack) {
      saves.push(takeBack);
      if (saves.length > maxSteps) saves.shift();
    },
    forget(left) {
      states.length = 0;
      lastTyped = undefined;
      if (left !== undefined) states.push(left);
    },
  };
}
