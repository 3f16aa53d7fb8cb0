/** Observes the calls of one operation. `Begun` stands for a call in progress; undefined for one of no interest. */
export interface CallObserver<Begun> {
  begin(): Begun;
  /** `begun`: what `begin` gave. */
  ended(begun: Begun): void;
  failed(begun: Begun, cause: unknown): void;
  /** Of a write: the transaction decides, so it waits no more for others. It may decide again. */
  decided?(begun: Begun): void;
  /** Of a get: asked before it finds its row in memory, or not; then `begin` is asked, unless this gave something. */
  readonly memory?: { begin(): Begun | undefined; found(begun: Begun): void };
  /** Of a list: asked before it. Undefined: it is not observed. */
  list(): ListObserver | undefined;
}

/** Observes one list. `beganMs` is the time of `performance.now()` at which it was asked for a batch. */
export interface ListObserver {
  batch(beganMs: number): void;
  /** There is no further batch. */
  done(beganMs: number): void;
  failed(beganMs: number, cause: unknown): void;
  /** The reader wants no further batch. */
  left(): void;
}

/** Tells how a call ends. It has begun before, so its work comes last. */
export function observeCall<T, Begun>(
  observer: CallObserver<Begun>,
  begun: Begun,
  work: Promise<T>,
): Promise<T> {
  if (begun !== undefined) {
    work.then(
      () => observer.ended(begun),
      (cause) => observer.failed(begun, cause),
    );
  }
  return work;
}

/** Tells of each batch of a list. */
export function observeList<T>({ list }: CallObserver<unknown>, source: AsyncIterable<T>): AsyncIterable<T> {
  const observer = list();
  if (observer === undefined) return source;
  return {
    [Symbol.asyncIterator]() {
      const iterator = source[Symbol.asyncIterator]();
      return {
        next() {
          const beganMs = performance.now();
          const step = iterator.next();
          step.then(
            ({ done }) => (done ? observer.done(beganMs) : observer.batch(beganMs)),
            (cause) => observer.failed(beganMs, cause),
          );
          return step;
        },
        async return() {
          observer.left();
          return (await iterator.return?.()) ?? { done: true, value: undefined };
        },
      };
    },
  };
}
