import type { Limits } from '../access/grant.js';
import { OperatorError } from '../operator-error.js';
import type { KeyRow } from './key-row.js';
import { maxKeysPerProject, type NewKeyOptions } from './new-key.js';
import { type S3Credentials, s3CredentialsOf } from './s3-credentials.js';

/** The project has as many keys without limits as it may have (docs/http.md#limited-keys). */
export class TooManyKeys extends OperatorError {
  constructor() {
    super(`The project has ${maxKeysPerProject} keys without limits, which is the most that it may have`);
  }
}

/** What a list says about a key. */
export interface KeyInfo extends Pick<KeyRow, 'project' | 'name' | 'createdSeconds' | 'lastUsedSeconds'> {
  readonly id: string;
  /** Undefined for a key without limits. */
  readonly limits?: Limits | undefined;
  /** Its S3 access key id, if it has one. */
  readonly accessKeyId?: string | undefined;
}

/** A new key, with the key itself: it is shown once and stored nowhere. */
export interface NewKey extends KeyInfo {
  readonly key: string;
  readonly s3?: S3Credentials | undefined;
}

/** A position in the order of keys: by project, then by age. */
export type KeyPosition = Pick<KeyInfo, 'project' | 'createdSeconds' | 'id'>;

export interface KeyRange {
  /** Only the keys of this project. */
  readonly project?: string | undefined;
  /** Only those after this position. */
  readonly after?: KeyPosition | undefined;
  /** The maximum number of keys: 1 to 1000. */
  readonly limit: number;
}

export interface KeyPage {
  readonly keys: readonly KeyInfo[];
  /** The position after which more follow; undefined if none do. */
  readonly last?: KeyPosition | undefined;
}

/** What commands and requests do with keys, in this process or in the running server. */
export interface KeyAdministration {
  /** Throws `OperatorError` for an invalid project name, and `TooManyKeys`. */
  create(project: string, options?: NewKeyOptions): Promise<NewKey>;
  /** Created keys, by project, then by age. Keys that the operator gave at the start are not among them. */
  list(range: KeyRange): Promise<KeyPage>;
  /**
   * Gives whether the key existed; with a project, whether it has that key. When the promise resolves, it no longer
   * works.
   */
  revoke(id: string, project?: string): Promise<boolean>;
}

/** What the row of a key says. */
export function infoOf(
  id: string,
  { project, name, sha256: ofUnlimited = '', limited, s3, createdSeconds, lastUsedSeconds }: KeyRow,
): KeyInfo {
  const { sha256 = ofUnlimited, ...limits } = limited ?? {};
  return {
    id,
    project,
    createdSeconds,
    ...(name !== undefined && { name }),
    ...(limited && { limits: limits as Limits }),
    ...(s3 && { accessKeyId: s3CredentialsOf(id, sha256).accessKeyId }),
    ...(lastUsedSeconds !== undefined && { lastUsedSeconds }),
  };
}

const pageKeys = 1000;

/** All created keys of a project or of all, page by page. */
export async function* keyPages(
  keys: Pick<KeyAdministration, 'list'>,
  project?: string,
): AsyncGenerator<readonly KeyInfo[]> {
  let after: KeyPosition | undefined;
  do {
    const page = await keys.list({ project, after, limit: pageKeys });
    yield page.keys;
    after = page.last;
  } while (after !== undefined);
}

/** The order of a list of keys. */
export function byProjectThenAge(a: KeyPosition, b: KeyPosition): number {
  if (a.project !== b.project) return a.project < b.project ? -1 : 1;
  if (a.createdSeconds !== b.createdSeconds) return a.createdSeconds - b.createdSeconds;
  return a.id === b.id ? 0 : a.id < b.id ? -1 : 1;
}
