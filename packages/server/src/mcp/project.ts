import { type Base, Basedrive, BasedriveError, type Drive, type OwnKeyResponse } from '#client';
import { OperatorError } from '../operator-error.js';
import { fetchExactly } from './exact-numbers.js';

/** A project as the tools see it: through the client library, within the scope of a key. */
export interface Project {
  readonly name: string;
  /** What the key may do, as the service says; undefined if the service did not answer. */
  readonly ownKey: OwnKeyResponse | undefined;
  bases: Basedrive['bases'];
  drives: Basedrive['drives'];
  /** Numbers of its items that JavaScript would rewrite are marked strings: see `exact-numbers.ts`. */
  base(name: string): Base;
  drive(name: string): Drive;
  /** Numbers of items in it are marked, too. */
  changesPage: Basedrive['changesPage'];
}

const askTimeoutMs = 10_000;

/**
 * Opens the project of a key, and asks the service what the key may do (docs/http.md#own-key). If the service does not
 * answer, `warn` gets a line: it may answer later. Throws `OperatorError` when it refuses the key.
 */
export async function openProject(url: URL, key: string, warn: (line: string) => void): Promise<Project> {
  const options = { url: url.href };
  const { bases, drives, Drive, keys } = Basedrive(key, options);
  const { Base, changesPage } = Basedrive(key, { ...options, fetch: fetchExactly });
  const ownKey = await keys.own({ timeoutMs: askTimeoutMs }).catch((cause: unknown) => {
    if (!(cause instanceof BasedriveError)) throw cause;
    if (cause.code === 'unauthorized')
      throw new OperatorError(`${url.origin} does not accept the key`, { cause });
    warn(`${url.origin}: ${cause.message}`);
    return undefined;
  });
  return {
    name: key.slice(0, key.indexOf('_')),
    ownKey,
    bases,
    drives,
    base: (name) => Base(name),
    drive: (name) => Drive(name),
    changesPage,
  };
}
