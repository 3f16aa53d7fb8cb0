/**
 * Work in steps, so that others are served in between: a generator that yields wherever it may pause, at least every
 * millisecond or so, and returns its result.
 */
export type Steps<T> = Generator<undefined, T, undefined>;

/** All steps, one after the other: for work that is known to be short. */
export function runAtOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** In each turn of the event loop, all work in steps together has so much time. */
const sliceMs = 5;

interface Task {
  /** Runs until the slice ends. True when nothing is left to do. */
  run(): boolean;
}

/** The tasks that are not over yet: each gets a slice in turn. */
const waiting: Task[] = [];
/** When the slice of this turn of the event loop ends; undefined while none has begun. */
let sliceEndsMs: number | undefined;

/**
 * Does the work in slices of some milliseconds, one in each turn of the event loop, whoever else does work this way.
 * Short work is done at once and its result comes without a promise. What a step throws is thrown, or rejects.
 */
export function runInSlices<T>(steps: Steps<T>): T | Promise<T> {
  // Those who wait do not delay work that is over before its first pause.
  const step = waiting.length === 0 ? advance(steps) : steps.next();
  if (step.done) return step.value;
  return new Promise((resolve, reject) => {
    waiting.push({
      run() {
        try {
          const step = advance(steps);
          if (step.done) resolve(step.value);
          return step.done === true;
        } catch (cause) {
          reject(cause);
          return true;
        }
      },
    });
    beginSlice();
  });
}

function advance<T>(steps: Steps<T>): IteratorResult<undefined, T> {
  for (;;) {
    const step = steps.next();
    // Most work is over before its first pause, and never looks at the clock.
    if (step.done || isSliceOver()) return step;
  }
}

function isSliceOver(): boolean {
  beginSlice();
  return performance.now() >= (sliceEndsMs as number);
}

function beginSlice(): void {
  if (sliceEndsMs !== undefined) return;
  sliceEndsMs = performance.now() + sliceMs;
  setImmediate(nextTurn);
}

/** The next turn of the event loop: those who wait have its slice. */
function nextTurn(): void {
  sliceEndsMs = undefined;
  while (waiting.length > 0 && !isSliceOver()) {
    const task = waiting.shift() as Task;
    if (!task.run()) waiting.push(task);
  }
}
