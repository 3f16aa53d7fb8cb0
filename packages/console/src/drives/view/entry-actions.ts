import { useRef } from 'preact/hooks';
import type { Selection } from '../../grid/selection.js';
import type { Entry } from '../entry.js';
import { type DropHandlers, dragEntries, dropTarget } from '../moves/drag.js';

/** What the views of a folder have in common. */
export interface FolderViewProps {
  readonly drive: string;
  readonly label: string;
  readonly entries: readonly Entry[];
  readonly isComplete: boolean;
  /** `size`, `-size` downwards; empty: by name. */
  readonly order: string;
  readonly selection: Selection;
  /** The name of the file that is open beside it. */
  readonly openName: string | undefined;
  onOpen(entry: Entry): void;
  onNearEnd(): void;
  /** The head of a column was chosen. */
  onOrder(column: string): void;
  /** Delete was pressed; undefined if nothing may be deleted. */
  readonly onDelete: ((entries: readonly Entry[]) => void) | undefined;
  /** Backspace was pressed. */
  onLeave(): void;
  /** Entries were dropped on a folder; undefined if nothing may be moved. */
  readonly onMove: ((entries: readonly Entry[], folder: string) => void) | undefined;
}

interface DragProps extends Partial<DropHandlers> {
  readonly draggable: boolean;
  onDragStart(event: DragEvent): void;
}

/** What is done with an entry in the view of a folder. */
export interface EntryActions {
  readonly drive: string;
  readonly canMove: boolean;
  onOpen(entry: Entry): void;
  /** What makes an element of the entry one that can be dragged, and on which others are dropped if it is a folder. */
  dragProps(entry: Entry): DragProps;
  /** A key that is not of the view itself. Says whether it did something. */
  onKey(event: KeyboardEvent, entry: Entry | undefined): boolean;
}

/** The actions of a folder's entries. An entry may be drawn once: its events then do what they would do now. */
export function useEntryActions(props: FolderViewProps): EntryActions {
  const latest = useRef(props);
  latest.current = props;
  const canMove = props.onMove !== undefined;
  /** The selected entries, if this is one of them: then what is done with it is done with all. */
  const withSelected = (entry: Entry) => {
    const { selection, entries } = latest.current;
    const keys = selection.keys.peek();
    return keys.has(entry.name) ? entries.filter(({ name }) => keys.has(name)) : [entry];
  };
  return {
    drive: props.drive,
    canMove,
    onOpen: (entry) => latest.current.onOpen(entry),
    dragProps: (entry) => ({
      draggable: canMove,
      onDragStart: (event) => dragEntries(event, withSelected(entry)),
      ...(canMove && entry.file === undefined
        ? dropTarget(entry.name, (moved, folder) => latest.current.onMove?.(moved, folder))
        : {}),
    }),
    onKey({ key, ctrlKey, metaKey }, entry) {
      const { onDelete, onLeave, selection, entries } = latest.current;
      if (key === 'Delete' && entry !== undefined) onDelete?.(withSelected(entry));
      else if (key === 'Backspace') onLeave();
      else if ((ctrlKey || metaKey) && key === 'a') selection.toggleAll(entries.map(({ name }) => name));
      else return false;
      return true;
    },
  };
}
