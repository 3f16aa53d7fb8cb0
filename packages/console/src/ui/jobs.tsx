import { effect, signal } from '@preact/signals';
import { key } from '../api/session.js';
import { Button } from './button.js';
import { formatCount } from './format.js';

/** Long work, as it is shown while it is in progress. */
interface Job {
  readonly id: number;
  /** What it does: `Deleting items of users`. */
  readonly title: string;
  readonly done: number;
  /** Undefined if it is not known. */
  readonly total: number | undefined;
  stop(): void;
}

/** What the work itself uses. */
export interface JobControl {
  /** Aborted when somebody stops the work. */
  readonly signal: AbortSignal;
  /** Says how many are done. */
  report(done: number, total?: number): void;
}

const jobs = signal<readonly Job[]>([]);
let lastId = 0;
/** Progress is drawn at most this often: work may report thousands of times a second. */
const shownEveryMs = 100;

effect(() => {
  // Work that goes on would go on with the next key, in another project.
  void key.value;
  for (const { stop } of jobs.peek()) stop();
});

/**
 * Does long work and shows how far it is, with a button that stops it. Leaving the screen does not end it; the end of
 * the session does.
 */
export async function runJob<Result>(
  title: string,
  work: (control: JobControl) => Promise<Result>,
): Promise<Result> {
  const id = ++lastId;
  const ended = new AbortController();
  const stop = () => ended.abort();
  let shownAt = 0;
  jobs.value = [...jobs.peek(), { id, title, done: 0, total: undefined, stop }];
  try {
    return await work({
      signal: ended.signal,
      report(done, total) {
        if (Date.now() - shownAt < shownEveryMs) return;
        shownAt = Date.now();
        jobs.value = jobs.peek().map((job) => (job.id === id ? { ...job, done, total } : job));
      },
    });
  } finally {
    jobs.value = jobs.peek().filter((job) => job.id !== id);
  }
}

addEventListener('beforeunload', (event) => {
  // Has the browser ask.
  if (jobs.peek().length > 0) event.preventDefault();
});

/** The place of the work in progress, once on the page. */
export function JobPlace() {
  return (
    <section class="jobs" aria-label="Work in progress" hidden={jobs.value.length === 0}>
      {jobs.value.map(({ id, title, done, total, stop }) => (
        <div key={id} class="job">
          <div class="job-head">
            <span class="clip">{title}</span>
            <Button text="Stop" variant="quiet" onClick={stop} />
          </div>
          <progress
            class="progress"
            aria-label={title}
            value={total === undefined ? undefined : done}
            max={total}
          />
          <span class="meta">
            {formatCount(done)}
            {total === undefined ? '' : ` of ${formatCount(total)}`}
          </span>
        </div>
      ))}
    </section>
  );
}
