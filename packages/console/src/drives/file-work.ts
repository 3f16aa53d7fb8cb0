import { countOf } from '../ui/format.js';
import type { JobControl } from '../ui/jobs.js';
import type { Undo } from '../ui/toast.js';
import type { Entry } from './entry.js';
import type { FilesChanged } from './names/chosen-names.js';
import type { FolderChange } from './view/folder-listing.js';

/** Files whose move or deletion can be taken back. */
export const maxUndone = 10_000;

/** How work that has changed this many files is taken back; undefined if it cannot be. */
export type UndoOf = (count: number) => Undo | undefined;

/** Work on files, and what becomes of the folder that shows them. */
export interface FileWork {
  /** What is shown while it is in progress. */
  readonly title: string;
  /** What was done, in the past tense. */
  readonly verb: string;
  readonly change: Required<FolderChange>;
  /** Whether some of the entries that are to be gone may still be there after it. */
  readonly isPartial?: boolean;
  readonly undo?: UndoOf;
  run(control: JobControl): Promise<FilesChanged>;
}

/** The number of files. None: only folders without files were changed. */
export const filesOrFolder = (count: number) => (count === 0 ? 'the empty folder' : countOf(count, 'file'));

export const namesOf = (entries: readonly Entry[]) => entries.map(({ name }) => name);
