import type { Entry } from '../entry.js';

/** Says to the browser what is dragged; what it is stays in the page. */
const dragType = 'application/x-basedrive-entries';

let dragged: readonly Entry[] = [];

/** Whether files of the user's disk are dragged, which are uploaded where they are dropped. */
export function hasFiles(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes('Files') ?? false;
}

/** Begins to drag entries of the shown folder. */
export function dragEntries(event: DragEvent, entries: readonly Entry[]): void {
  dragged = entries;
  event.dataTransfer?.setData(dragType, '');
  if (event.dataTransfer !== null) event.dataTransfer.effectAllowed = 'move';
}

/** What makes an element one on which entries can be dropped. */
export interface DropHandlers {
  onDragOver(event: DragEvent): void;
  onDragLeave(event: DragEvent): void;
  onDrop(event: DragEvent): void;
}

/** Has an element take entries that are dropped on it for a folder. `onMove` is called with them. */
export function dropTarget(
  folder: string,
  onMove: (entries: readonly Entry[], folder: string) => void,
): DropHandlers {
  const elementOf = (event: DragEvent) => event.currentTarget as HTMLElement;
  const isTaken = (event: DragEvent) =>
    (event.dataTransfer?.types.includes(dragType) ?? false) && !dragged.some(({ name }) => name === folder);
  return {
    onDragOver(event) {
      if (!isTaken(event)) return;
      event.preventDefault();
      elementOf(event).classList.add('drop-here');
    },
    onDragLeave: (event) => elementOf(event).classList.remove('drop-here'),
    onDrop(event) {
      elementOf(event).classList.remove('drop-here');
      if (!isTaken(event)) return;
      event.preventDefault();
      onMove(dragged, folder);
    },
  };
}
