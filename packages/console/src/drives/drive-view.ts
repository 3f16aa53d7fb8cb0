import type { DriveDialog } from './dialogs.js';
import type { Entry } from './entry.js';
import type { FileActions } from './file-actions.js';
import type { ChosenFile } from './uploads/chosen-files.js';
import type { OpenFolder } from './view/use-folder.js';
import type { DriveSteps } from './view/use-steps.js';

/** What the screen of a drive shows, and what is done there. */
export interface DriveView {
  readonly drive: string;
  /** The folder that is shown: `a/b/`, or empty for the drive itself. */
  readonly folder: string;
  /** What is looked for in the names; empty for nothing. */
  readonly find: string;
  /** `size`, or `-size` downwards; empty: by name. */
  readonly order: string;
  readonly open: OpenFolder;
  readonly steps: DriveSteps;
  readonly actions: FileActions;
  ask(dialog: DriveDialog): void;
  /** Asks for the new name of an entry. */
  rename(entry: Entry): void;
  /** Asks where entries are moved; `to` is the folder on which they were dropped. */
  move(entries: readonly Entry[], to?: string): void;
  /** Shows what is public, and offers a folder; undefined if the key may not see it. */
  readonly showPublic: ((folder: string) => void) | undefined;
  upload(files: readonly ChosenFile[]): void;
}
