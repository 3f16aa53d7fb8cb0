import type { ProjectAddress } from '../api/address.js';
import type { ProgressCounter } from '../progress.js';
import type { ImportReport } from './report.js';
import type { SetAside } from './source.js';

/** What the parts of an import share. */
export interface ImportRun {
  readonly address: ProjectAddress;
  /** Whether items and files that exist stay as they are. */
  readonly onlyNew: boolean;
  readonly progress: ProgressCounter;
  readonly report: ImportReport;
  /** Notes something that is not imported. */
  readonly setAside: (entry: SetAside) => void;
}
