/**
 * Work in steps, so that other requests are served in between: a generator that yields wherever it may pause, about
 * every millisecond or more often, and returns its result. Work that takes much memory yields how many bytes more it
 * needs from here on, or how many less (below 0).
 */
export type Steps<T> = Generator<number | undefined, T, undefined>;

/** Bounds work in steps. */
export interface Room {
  /**
   * Counts this many more bytes for the work, or fewer. Gives a promise if the work has to wait for them; it rejects with
   * what the caller is told if there will be no room.
   */
  grow(bytes: number): Promise<void> | undefined;
  /** Throws if nobody wants the result any more. Called before each step but the first. */
  check(): void;
}

/** Runs all steps without a pause: for work that is known to be short. */
export function runAtOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/**
 * Runs steps whose result is small: when they are over, the memory that they needed is free. `bytesOf` says how many bytes of it
 * the result keeps; by default, none.
 */
export function* freeing<T>(steps: Steps<T>, bytesOf?: (result: T) => number): Steps<T> {
  let bytes = 0;
  try {
    for (;;) {
      const step = steps.next();
      if (step.done) {
        bytes -= Math.min(bytes, bytesOf?.(step.value) ?? 0);
        return step.value;
      }
      bytes += step.value ?? 0;
      yield step.value;
    }
  } finally {
    if (bytes > 0) yield -bytes;
  }
}

/** The time in each turn of the event loop that all work in steps shares. */
const sliceMs = 5;
/** The time that the first steps of new work may take while other work is waiting. */
const beginningsMs = 10;
/** The number of pieces of work that may end before their first pause until the clock is read. */
const unwatched = 16;

interface Task {
  /** Runs one step. True when nothing is left to do, or the work waits for memory. */
  step(): boolean;
}

/** The unfinished tasks, which get slices in round-robin order. */
const waiting: Task[] = [];
/** Tasks that have not begun, because too many came in one turn. Most of them end with their first step. */
const fresh: Task[] = [];
/** When the slice of this turn of the event loop ends; undefined if none has begun. */
let sliceEndsMs: number | undefined;
let unwatchedCount = 0;

/**
 * Runs the work in slices of a few milliseconds: one slice in each turn of the event loop, shared by all such work.
 * Short work runs at once, unless so much of it has come in this turn that the turn would become long. The result of
 * work that is over at once comes without a promise. If a step or the room throws, this throws, or its promise rejects.
 * Without a room, nobody counts the memory.
 */
export function runInSlices<T>(steps: Steps<T>, room?: Room): T | Promise<T> {
  if (++unwatchedCount === unwatched) {
    unwatchedCount = 0;
    beginSlice();
  }
  if (fresh.length > 0 || isTurnOver()) return later(steps, room, fresh);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (step.value !== undefined) {
      const isAdmitted = room?.grow(step.value);
      if (isAdmitted !== undefined) return isAdmitted.then(() => later(steps, room, waiting));
    } else if (waiting.length > 0 || isSliceOver()) {
      // Waiting tasks do not delay work that ends before its first pause, and most work does: it never reads the clock.
      return later(steps, room, waiting);
    }
  }
}

function later<T>(steps: Steps<T>, room: Room | undefined, queue: Task[]): Promise<T> {
  return new Promise((resolve, reject) => {
    // What ends with its first step does so however many others have come: a client that has ended its side gets its answer.
    let hasPaused = queue !== fresh;
    const task: Task = {
      step() {
        try {
          if (hasPaused) room?.check();
          hasPaused = true;
          const step = steps.next();
          if (step.done) resolve(step.value);
          else if (step.value === undefined) return false;
          else {
            const isAdmitted = room?.grow(step.value);
            if (isAdmitted === undefined) return false;
            isAdmitted.then(() => enqueue(task, waiting), reject);
          }
        } catch (cause) {
          reject(cause);
        }
        return true;
      },
    };
    enqueue(task, queue);
  });
}

function enqueue(task: Task, queue: Task[]): void {
  queue.push(task);
  beginSlice();
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
