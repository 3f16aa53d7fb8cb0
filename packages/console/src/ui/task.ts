import { useState } from 'preact/hooks';
import { explain } from '../api/errors.js';
import { useIsOpen } from './is-open.js';
import { tellFailure } from './toast.js';

/** Work that a form or a dialog does. */
export interface Task {
  /** Whether it is in progress. */
  readonly busy: boolean;
  /** Why it failed the last time; empty if it did not. */
  readonly problem: string;
  /** Does the work. Resolves when it is over, also if it failed. */
  run(work: () => Promise<void>): Promise<void>;
  /** Forgets the failure: what was wrong is being changed. */
  clear(): void;
}

/** One piece of work at a time, with what a form shows of it. After the form is closed, a failure is shown as a message. */
export function useTask(): Task {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState('');
  const isOpen = useIsOpen();
  return {
    busy,
    problem,
    async run(work) {
      setBusy(true);
      setProblem('');
      try {
        await work();
      } catch (cause) {
        if (isOpen()) setProblem(explain(cause));
        else tellFailure(cause);
      }
      setBusy(false);
    },
    clear: () => setProblem(''),
  };
}
