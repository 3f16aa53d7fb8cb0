import { effect } from '@preact/signals';
import { endedBecause, key } from '../../api/session.js';
import { keepInTab } from '../../api/storage.js';

interface Unsaved {
  /** The name under which the tab keeps it: `takeFromTab` gives it back. */
  readonly name: string;
  /** What is not saved, as JSON can hold it. */
  read(): readonly unknown[];
  forget(): void;
}

/** Keeps what is not saved over a reload, has the browser ask before it is lost, and forgets it when somebody signs out. */
export function keepUnsaved({ name, read, forget }: Unsaved): void {
  // Whoever signs out leaves nothing behind. A session that ended by itself can be continued with another key.
  effect(() => {
    if (key.value === undefined && endedBecause.value === undefined) forget();
  });
  addEventListener('beforeunload', (event) => {
    // A tab that is closed forgets it.
    if (read().length > 0) event.preventDefault();
  });
  addEventListener('pagehide', () => {
    const unsaved = read();
    if (unsaved.length > 0) keepInTab(name, unsaved);
  });
}
