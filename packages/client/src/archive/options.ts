import type { CallOptions } from '../http/endpoint.js';

/** How far an export or import is. */
export interface ProjectProgress {
  readonly items: number;
  readonly files: number;
  readonly bytes: number;
  /**
   * How much is done, from 0 to 1: the share of the bytes, where each file counts as 64 KiB more. Undefined while their sum is
   * not known.
   */
  readonly share: number | undefined;
  readonly seconds: number;
}

/** The bases and drives that an export or import is about; undefined: all of them. */
export interface Selection {
  readonly bases: readonly string[] | undefined;
  readonly drives: readonly string[] | undefined;
}

/** Everything is selected if neither is given, otherwise only what is named. */
export function selectionOf({ bases, drives }: Partial<Selection>): Selection {
  if (bases === undefined && drives === undefined) return { bases: undefined, drives: undefined };
  return { bases: bases ?? [], drives: drives ?? [] };
}

/** Options of an export and an import. Without `timeoutMs`, they have no time limit. */
export interface ArchiveOptions extends CallOptions {
  /** Only these bases. With `bases` or `drives`, nothing else is transferred. */
  readonly bases?: readonly string[] | undefined;
  /** Only these drives. */
  readonly drives?: readonly string[] | undefined;
  /** Called ten times a second at most, with the numbers so far. */
  readonly onProgress?: ((progress: ProjectProgress) => void) | undefined;
}

/** Options of an import. */
export interface ArchiveImportOptions extends ArchiveOptions {
  /** True: items and files that exist stay as they are. Default: they are replaced. */
  readonly keepExisting?: boolean | undefined;
  /** True: files that were changed since they were exported are imported, too. Default: they are set aside. */
  readonly acceptChanges?: boolean | undefined;
  /**
   * A file of more than 64 MiB that is more than this many times larger than in the archive is set aside. Default 200.
   */
  readonly maxRatio?: number | undefined;
}

/** Which project is exported or imported, and where it is. */
export interface ProjectOptions {
  /** `{project}_{secret}`; default: `BASEDRIVE_KEY`, else `DETA_PROJECT_KEY` of the environment. */
  readonly key?: string | undefined;
  /** The address of the service, as in the options of `Basedrive()`. */
  readonly url?: string | undefined;
}

/** Options of `exportProject`. */
export interface ExportProjectOptions extends ProjectOptions, ArchiveOptions {}
/** Options of `importProject`. */
export interface ImportProjectOptions extends ProjectOptions, ArchiveImportOptions {}
