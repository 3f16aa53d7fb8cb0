import { focusGrid } from '../../grid/grid.js';
import { directionOf } from '../../ui/direction.js';
import { visible } from '../../ui/visible.js';
import type { Entry } from '../entry.js';

interface EntryOpenerProps {
  readonly entry: Entry;
  readonly class?: string;
  onOpen(entry: Entry): void;
}

/** The name of an entry in the view of a folder, which opens it. */
export function EntryOpener({ entry, class: more = '', onOpen }: EntryOpenerProps) {
  return (
    <button
      type="button"
      tabIndex={-1}
      class={`file-opener clip ${more}`}
      title={visible(entry.name)}
      dir={directionOf(entry.below + entry.label)}
      onClick={({ shiftKey, ctrlKey, metaKey }) => {
        // The arrow keys go on from here.
        focusGrid();
        // With these the click selects the entry.
        if (!shiftKey && !ctrlKey && !metaKey) onOpen(entry);
      }}
    >
      {entry.below !== '' && <span class="entry-below">{visible(entry.below)}</span>}
      {visible(entry.label)}
    </button>
  );
}
