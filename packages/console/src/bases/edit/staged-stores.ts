import { effect } from '@preact/signals';
import { endedBecause, key, project } from '../../api/session.js';
import { createStaged, type Staged } from './staged.js';

/** The staged changes of each base that was opened: they outlive a visit to another base. */
const stores = new Map<string, Staged>();

/** The staged changes of a base of the project. */
export function stagedOf(base: string): Staged {
  const id = JSON.stringify([project.peek(), base]);
  const store = stores.get(id) ?? createStaged();
  stores.set(id, store);
  return store;
}

// Whoever signs out leaves nothing behind. A session that ended by itself can be continued with another key.
effect(() => {
  if (key.value === undefined && endedBecause.value === undefined) stores.clear();
});

addEventListener('beforeunload', (event) => {
  const isSaved = [...stores.values()].every(({ count }) => count.peek() === 0);
  // Has the browser ask.
  if (!isSaved) event.preventDefault();
});
