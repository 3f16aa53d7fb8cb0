import type { CallObserver, ListObserver } from '../call-observer.js';
import type { RequestSpans, WorkSpan } from './request-spans.js';

type Begin = RequestSpans['begin'];

interface TracedCall extends Pick<WorkSpan, 'end'> {
  decided?(): void;
}

/** Makes a span of this name for each call and each list. A get that finds its row in memory has none. */
export function tracedCalls(name: string, begin: Begin): CallObserver<TracedCall | undefined> {
  return {
    begin: () => begin(name),
    ended: (span) => span?.end(),
    failed: (span, cause) => span?.end(cause),
    list() {
      const span = begin(name);
      return span && tracedList(span);
    },
  };
}

/** The same for transactions: the part until it decides, in which it waits for the group commit before it, has its own span. */
export function tracedWrites(name: string, begin: Begin): CallObserver<TracedCall | undefined> {
  return {
    ...tracedCalls(name, begin),
    begin() {
      const span = begin(name);
      if (span === undefined) return undefined;
      let wait = begin(`${name}: wait for commit`);
      // It also waits for its rows. A transaction that decides again waits no more.
      const decided = () => {
        wait?.end();
        wait = undefined;
      };
      return {
        decided,
        end(cause) {
          decided();
          span.end(cause);
        },
      };
    },
    decided: (call) => call?.decided?.(),
  };
}

/**
 * One span for all batches, from the call to the end. It includes the time of the reader between two batches, so it
 * also has the time for which the store was busy.
 */
function tracedList(span: WorkSpan): ListObserver {
  let batches = 0;
  let busyMs = 0;
  let hasEnded = false;
  const took = (beganMs: number) => {
    busyMs += performance.now() - beganMs;
  };
  const end = (cause?: unknown) => {
    if (hasEnded) return;
    hasEnded = true;
    span.set('basedrive.batches', batches);
    span.set('basedrive.busy_ms', Math.round(busyMs * 1000) / 1000);
    span.end(cause);
  };
  return {
    batch(beganMs) {
      took(beganMs);
      batches++;
    },
    done(beganMs) {
      took(beganMs);
      end();
    },
    failed(beganMs, cause) {
      took(beganMs);
      end(cause);
    },
    left: end,
  };
}
