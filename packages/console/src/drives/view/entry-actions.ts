import { useRef } from 'preact/hooks';
import { mayWrite } from '../../api/own-key.js';
import type { DriveView } from '../drive-view.js';
import type { Entry } from '../entry.js';
import { type DropHandlers, dragEntries, dropTarget } from '../moves/drag.js';

/** What the views of a folder are given. */
export interface FolderViewProps {
  readonly view: DriveView;
  /** The name of the file that is open beside it. */
  readonly openName: string | undefined;
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
export function useEntryActions(view: DriveView): EntryActions {
  const latest = useRef(view);
  latest.current = view;
  const canMove = mayWrite.value;
  /** The selected entries, if this is one of them: then what is done with it is done with all. */
  const withSelected = (entry: Entry) => {
    const { selection, entries } = latest.current.open;
    const keys = selection.keys.peek();
    return keys.has(entry.name) ? entries.filter(({ name }) => keys.has(name)) : [entry];
  };
  return {
    drive: view.drive,
    canMove,
    onOpen: (entry) => latest.current.steps.open(entry),
    dragProps: (entry) => ({
      draggable: canMove,
      onDragStart: (event) => dragEntries(event, withSelected(entry)),
      ...(canMove && entry.file === undefined
        ? dropTarget(entry.name, (moved, folder) => latest.current.move(moved, folder))
        : {}),
    }),
    onKey({ key, ctrlKey, metaKey }, entry) {
      const { actions, steps, open } = latest.current;
      if (key === 'Delete' && entry !== undefined) {
        if (mayWrite.peek()) actions.askToDelete(withSelected(entry));
      } else if (key === 'Backspace') steps.leave();
      else if ((ctrlKey || metaKey) && key === 'a')
        open.selection.toggleAll(open.entries.map(({ name }) => name));
      else return false;
      return true;
    },
  };
}
