import type { Put } from '../../engines/item-store.js';
import { StorageUnavailable } from '../../engines/storage-errors.js';
import type { Leases } from '../contents/leases.js';
import type { DriveContext } from '../context.js';
import type { ManyNames } from '../many-names.js';
import type { FileRow, ListedPiece } from '../rows.js';
import type { UploadsForService } from '../uploads/uploads.js';
import type { Copying } from './copying.js';
import type { TransferBody } from './transfer-body.js';

/**
 * A copy has bytes of its own, so a content keeps exactly one name. While bytes are copied, they are the parts of an
 * open upload without a name, so at any moment a row names them:
 *
 *   from rows, read at one moment; their contents leased
 *       │
 *   each piece ──► blob {piece}, then part/{id}/{n}         rows of small pieces go together
 *       │
 *   one transaction: name/{to} of all files; upload/{id} and part/{id}/… deleted; replaced files become garbage
 *       ▼
 *   or an error: the upload is dropped; or a crash: maintenance drops it some minutes after it was last renewed
 */
export interface CopyDependencies extends DriveContext {
  readonly leases: Leases;
  readonly uploads: UploadsForService;
  readonly copying: Copying;
  readonly manyNames: ManyNames;
}

/** One call of the operation. */
export interface CopyRun extends CopyDependencies {
  readonly project: string;
  readonly drive: string;
  readonly space: string;
  readonly body: TransferBody;
  readonly isAbandoned: () => boolean;
}

/** A file to be copied, and the pieces of its copy in their order. */
export interface Source {
  readonly file: FileRow;
  readonly pieces: readonly ListedPiece[];
  readonly copied: ListedPiece[];
}

/** Copied bytes that no name refers to yet. */
export interface Copied {
  readonly sources: readonly Source[];
  /** The upload that has the copied pieces as its parts; undefined if they are only in `rows`. */
  readonly uploadId: string | undefined;
  readonly rows: readonly Put[];
}

export function dropped(): StorageUnavailable {
  return new StorageUnavailable('The copied bytes were dropped before the copy was complete');
}
