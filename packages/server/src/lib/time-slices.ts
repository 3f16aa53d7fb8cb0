/**
 * Work in steps, so that other requests are served in between: a generator that yields wherever it may pause, about
 * every millisecond or more often, and returns its result.
 */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Runs all steps without a pause: for work that is known to be short. */
export function runAtOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** The time in each turn of the event loop that all work in steps shares. */
const sliceMs = 5;

interface Task {
  /** Runs until the slice ends. True when nothing is left to do. */
  run(): boolean;
}

/** The unfinished tasks, which get slices in round-robin order. */
const waiting: Task[] = [];
/** When the slice of this turn of the event loop ends; undefined if none has begun. */
let sliceEndsMs: number | undefined;

/**
 * Runs the work in slices of a few milliseconds: one slice in each turn of the event loop, shared by all such work.
 * Short work runs at once, and its result comes without a promise. If a step throws, this throws, or its promise
 * rejects.
 */
export function runInSlices<T>(steps: Steps<T>): T | Promise<T> {
  // Waiting tasks do not delay work that ends before its first pause.
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
    // Most work ends before its first pause and never reads the clock.
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

/** The next turn of the event loop: the waiting tasks get its slice. */
function nextTurn(): void {
  sliceEndsMs = undefined;
  while (waiting.length > 0 && !isSliceOver()) {
    const task = waiting.shift() as Task;
    if (!task.run()) waiting.push(task);
  }
}
