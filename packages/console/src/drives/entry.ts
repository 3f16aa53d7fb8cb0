import type { FileDetails } from 'basedrive-client';

/** What the service knows of a file. */
export type FileFacts = Required<Omit<FileDetails, 'expires'>> & Pick<FileDetails, 'expires'>;

/** A line of a folder: a file, or a folder in it. */
export interface Entry {
  /** The whole name of a file; the prefix of a folder, with its `/`. */
  readonly name: string;
  /** The name within the folder. */
  readonly label: string;
  /** Undefined for a folder. */
  readonly file: FileFacts | undefined;
}

/** The entry of what List Files says about a name below `folder`: docs/http.md#file-details */
export function readEntry(details: FileDetails, folder: string): Entry {
  const label = details.name.slice(folder.length);
  return { name: details.name, label, file: details.etag === undefined ? undefined : (details as FileFacts) };
}
