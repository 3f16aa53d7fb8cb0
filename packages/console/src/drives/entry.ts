import type { FileDetails } from 'basedrive-client';

/** What the service knows of a file. */
export type FileFacts = Required<Omit<FileDetails, keyof Noted>> & Noted;

/** What not every file has. */
type Noted = Pick<FileDetails, 'expires' | 'metadata' | 'headers' | 'md5' | 'checksum'>;

/** A line of a folder: a file, or a folder in it. */
export interface Entry {
  /** The whole name of a file; the prefix of a folder, with its `/`. */
  readonly name: string;
  /** Its own name, without the folders that it is in. */
  readonly label: string;
  /** The folders between the shown one and it: `trip/`, of a file that was found below. */
  readonly below: string;
  /** Undefined for a folder. */
  readonly file: FileFacts | undefined;
}

/** The entry of what List Files says about a name below `folder`: docs/http.md#file-details */
export function readEntry(details: FileDetails, folder: string): Entry {
  const rest = details.name.slice(folder.length);
  // A slash at the end is part of the last name.
  const at = rest.lastIndexOf('/', rest.length - 2) + 1;
  const [below, label] = [rest.slice(0, at), rest.slice(at)];
  return {
    name: details.name,
    label,
    below,
    file: details.etag === undefined ? undefined : (details as FileFacts),
  };
}
