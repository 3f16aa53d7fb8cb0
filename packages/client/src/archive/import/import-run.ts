import type { ProjectAddress } from '../api/address.js';
import type { Selection } from '../options.js';
import type { ProgressCounter } from '../progress.js';
import type { ImportReport, SetAside } from './report.js';

/** What the parts of an import share. */
export interface ImportRun {
  readonly address: ProjectAddress;
  /** The time of the server: the clock here may be wrong. */
  readonly nowMs: () => number;
  /** Whether items and files that exist stay as they are. */
  readonly onlyNew: boolean;
  /** Whether files are imported although `basedrive.json` has another checksum. */
  readonly acceptChanges: boolean;
  readonly selection: Selection;
  readonly progress: ProgressCounter;
  readonly report: ImportReport;
  /** Notes something that is not imported. */
  readonly setAside: (entry: SetAside) => void;
}
