import type { Signal } from '@preact/signals';
import type { Entry } from './entry.js';
import type { FileActions } from './file-actions.js';
import type { ChosenFile } from './uploads/chosen-files.js';
import type { OpenFolder } from './view/use-folder.js';
import type { DriveSteps } from './view/use-steps.js';

/** A dialog of a drive, with what it is about. `folder` is where the user was when it was opened. */
export type DriveDialog =
  | { readonly kind: 'new-folder'; readonly folder: string }
  | { readonly kind: 'rename' | 'settings'; readonly entry: Entry }
  /** `to` is the folder on which the entries were dropped; undefined to ask for it. */
  | {
      readonly kind: 'move';
      readonly folder: string;
      readonly entries: readonly Entry[];
      readonly to: string | undefined;
    }
  | { readonly kind: 'share'; readonly names: readonly string[] }
  /** `folder` is offered: `site/`, or empty for none. */
  | { readonly kind: 'public'; readonly folder: string }
  /** `prefix`: the name of a file whose versions are wanted; empty for all. */
  | { readonly kind: 'trash'; readonly prefix: string };

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
  /** The dialog that is open. */
  readonly dialog: Signal<DriveDialog | undefined>;
  ask(dialog: DriveDialog): void;
  /** Asks for the new name of an entry. */
  rename(entry: Entry): void;
  /** Asks where entries are moved; `to` is the folder on which they were dropped. */
  move(entries: readonly Entry[], to?: string): void;
  /** Shows what is public, and offers a folder; undefined if the key may not see it. */
  readonly showPublic: ((folder: string) => void) | undefined;
  upload(files: readonly ChosenFile[]): void;
}
