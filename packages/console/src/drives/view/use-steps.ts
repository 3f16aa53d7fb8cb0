import { useLayoutEffect, useRef } from 'preact/hooks';
import { focusGrid } from '../../grid/grid.js';
import { go, route, setParameters, stepBack, stepTo } from '../../router.js';
import type { Entry } from '../entry.js';
import { nextFileOrder } from './ordered-listing.js';

/** Where somebody goes in a drive. Each is a step of the browser's history. */
export interface DriveSteps {
  goTo(folder: string): void;
  /** Opens a folder from the grid of another one, whose focus the new grid gets; or a file beside its folder. */
  open(entry: Entry): void;
  /** Goes to the folder around this one. */
  leave(): void;
  sortBy(column: string): void;
  closeFile(): void;
  /** How the file before or after an open one is opened; undefined at the ends. */
  stepFrom(open: Entry | undefined, by: 1 | -1): (() => void) | undefined;
}

export function useSteps(drive: string, folder: string, entries: readonly Entry[]): DriveSteps {
  const isStepping = useRef(false);
  // At once, not after the next frame: a key that is pressed in between would be lost.
  useLayoutEffect(() => {
    if (!isStepping.current || entries.length === 0) return;
    isStepping.current = false;
    focusGrid();
  }, [entries]);

  const goTo = (to: string) => go({ screen: 'drives', name: drive, parameters: { folder: to } });
  const step = (to: string) => {
    isStepping.current = true;
    goTo(to);
  };
  return {
    goTo,
    open: (entry) => (entry.file === undefined ? step(entry.name) : openFile(entry.name)),
    leave() {
      if (folder !== '') step(folder.replace(/[^/]*\/$/, ''));
    },
    sortBy(column) {
      isStepping.current = true;
      stepTo({ order: nextFileOrder(route.peek().parameters.order ?? '', column) });
    },
    closeFile() {
      if (route.peek().parameters.file !== undefined) stepBack({ file: '' });
    },
    stepFrom(open, by) {
      const beside = open && fileBeside(entries, open.name, by);
      return beside && (() => openFile(beside.name));
    },
  };
}

/** The file before or after one, without the folders; undefined at the ends. */
function fileBeside(entries: readonly Entry[], name: string, step: 1 | -1): Entry | undefined {
  const files = entries.filter(({ file }) => file !== undefined);
  const at = files.findIndex((entry) => entry.name === name);
  return at === -1 ? undefined : files[at + step];
}

/** As with an item: Back closes the file, and another one takes its place. */
function openFile(name: string): void {
  if (route.peek().parameters.file === undefined) stepTo({ file: name });
  else setParameters({ file: name });
}
