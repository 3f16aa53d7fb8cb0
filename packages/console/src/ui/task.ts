import { useRef, useState } from 'preact/hooks';
import { explain } from '../api/errors.js';

/** What work is given, so that it can be followed and stopped. */
export interface TaskControl {
  /** Aborted when the user stops the work. What is done by then stays done. */
  readonly signal: AbortSignal;
  /** Says how far the work is: `3,000 files deleted`. Work that says so can be stopped. */
  report(progress: string): void;
}

/** Work that a form or a dialog does. */
interface Task {
  /** Whether it is in progress. */
  readonly busy: boolean;
  /** Why it failed the last time; empty if it did not. */
  readonly problem: string;
  /** How far it is; empty if it does not say. */
  readonly progress: string;
  /** Does the work. Resolves when it is over, also if it failed. */
  run(work: (control: TaskControl) => Promise<void>): Promise<void>;
  /** Asks the work to end. */
  stop(): void;
  /** Forgets the failure: what was wrong is being changed. */
  clear(): void;
}

/** One piece of work at a time, with what a form shows of it. */
export function useTask(): Task {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState('');
  const [progress, report] = useState('');
  const stopper = useRef<AbortController | undefined>(undefined);
  return {
    busy,
    problem,
    progress,
    async run(work) {
      const controller = new AbortController();
      stopper.current = controller;
      setBusy(true);
      setProblem('');
      try {
        await work({ signal: controller.signal, report });
      } catch (cause) {
        setProblem(explain(cause));
      }
      report('');
      setBusy(false);
    },
    stop: () => stopper.current?.abort(),
    clear: () => setProblem(''),
  };
}
