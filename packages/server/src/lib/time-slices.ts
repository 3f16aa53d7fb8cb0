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
/** The time that the first steps of new work may take beside it. */
const beginningsMs = 10;
/** So many pieces of work may end before their first pause until the clock is read. */
const unwatched = 16;

interface Task {
  /** Runs one step. True when nothing is left to do. */
  step(): boolean;
}

/** The unfinished tasks, which get slices in round-robin order. */
const waiting: Task[] = [];
/** Tasks that have not begun, because so many came in one turn. Most of them end with their first step. */
const fresh: Task[] = [];
/** When the slice of this turn of the event loop ends; undefined if none has begun. */
let sliceEndsMs: number | undefined;
let unwatchedCount = 0;

/**
 * Runs the work in slices of a few milliseconds: one slice in each turn of the event loop, shared by all such work.
 * Short work runs at once, unless so much of it has come in this turn that the turn would become long. The result of
 * work that is over at once comes without a promise. If a step throws, this throws, or its promise rejects.
 */
export function runInSlices<T>(steps: Steps<T>): T | Promise<T> {
  if (++unwatchedCount === unwatched) {
    unwatchedCount = 0;
    beginSlice();
  }
  if (fresh.length > 0 || isTurnOver()) return later(steps, fresh);
  // Waiting tasks do not delay work that ends before its first pause.
  const step = waiting.length === 0 ? advance(steps) : steps.next();
  return step.done ? step.value : later(steps, waiting);
}

function later<T>(steps: Steps<T>, queue: Task[]): Promise<T> {
  return new Promise((resolve, reject) => {
    queue.push({
      step() {
        try {
          const step = steps.next();
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
  return performance.now() >= beginSlice();
}

function isTurnOver(): boolean {
  return sliceEndsMs !== undefined && performance.now() >= sliceEndsMs + beginningsMs;
}

function beginSlice(): number {
  if (sliceEndsMs === undefined) {
    sliceEndsMs = performance.now() + sliceMs;
    setImmediate(nextTurn);
  }
  return sliceEndsMs;
}

/** The next turn of the event loop: first new tasks begin, then those that wait get its slice. */
function nextTurn(): void {
  sliceEndsMs = undefined;
  if (fresh.length > 0) beginFresh();
  while (waiting.length > 0 && !isSliceOver()) {
    const task = waiting.shift() as Task;
    let isOver = task.step();
    while (!isOver && !isSliceOver()) isOver = task.step();
    if (!isOver) waiting.push(task);
  }
}

/** Runs the first steps of new tasks, in the order in which they came. */
function beginFresh(): void {
  const endsMs = performance.now() + beginningsMs;
  let begun = 0;
  do {
    const task = fresh[begun++] as Task;
    if (!task.step()) waiting.push(task);
  } while (begun < fresh.length && performance.now() < endsMs);
  fresh.splice(0, begun);
  if (fresh.length > 0) beginSlice();
}
