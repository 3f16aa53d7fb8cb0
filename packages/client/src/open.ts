import type { Base as BaseCalls } from './base/base.js';
import { openBase } from './base/open-base.js';
import type { Drive as DriveCalls } from './drive/drive.js';
import { openDrive } from './drive/open-drive.js';
import {
  type ChangeLine,
  type ChangesPage,
  type ChangesPageOptions,
  type FileChange,
  followChanges,
  followLines,
  type ItemChange,
  type Live,
  type ProjectChangesOptions,
  readChangesPage,
} from './feed/changes.js';
import { type BasedriveOptions, openEndpoint, openProjectEndpoint, resolveKey } from './http/endpoint.js';
import { withNullOptions } from './lib/null-options.js';
import { type CatalogOptions, catalogNames } from './project/catalog.js';
import { type Keys, openKeys } from './project/keys.js';
import { openWebhooks, type Webhooks } from './project/webhooks.js';

/** The bases, drives and keys of one project. */
export interface Basedrive {
  /**
   * A base. The service creates it with its first item.
   * @param name 1 to 255 bytes of UTF-8
   * @param host the host of this base, if it differs: `DETA_BASE_HOST` of npm `deta`
   */
  Base<T = unknown>(name: string, host?: string): BaseCalls<T>;
  /**
   * A drive. The service creates it with its first file.
   * @param name 1 to 255 bytes of UTF-8
   * @param host the host of this drive, if it differs: `DETA_DRIVE_HOST` of npm `deta`
   */
  Drive(name: string, host?: string): DriveCalls;
  /**
   * Iterates over the names of the bases that have items, in the order of their UTF-8 bytes (docs/http.md#list-bases).
   * Each page is requested when it is needed.
   * @example for await (const name of bases({ prefix: 'shop-' })) console.log(name, await Base(name).stats());
   */
  bases(options?: CatalogOptions): AsyncGenerator<string, void, undefined>;
  /**
   * Iterates over the names of the drives that have files, like `bases` (docs/http.md#list-drives).
   * @example for await (const name of drives()) console.log(name);
   */
  drives(options?: CatalogOptions): AsyncGenerator<string, void, undefined>;
  /**
   * Iterates over what changes in the project, as it happens (docs/http.md#changes). When the connection is lost, it goes
   * on where it was.
   * @example for await (const change of changes({ bases: ['users'] })) console.log(change);
   */
  changes(options?: ProjectChangesOptions): AsyncGenerator<ItemChange | FileChange | Live, void, undefined>;
  /**
   * The same as it was sent: the JSON of each change, with every digit of every number.
   * @example for await (const { text } of changeLines()) if (text) console.log(text);
   */
  changeLines(options?: ProjectChangesOptions): AsyncGenerator<ChangeLine, void, undefined>;
  /**
   * A page of what has changed since a cursor: for a program that looks now and then.
   * @example const { changes, cursor } = await changesPage({ since, limit: 100 });
   */
  changesPage(options?: ChangesPageOptions): Promise<ChangesPage>;
  /** Creates, lists and deletes the keys of the project (docs/http.md#limited-keys). */
  readonly keys: Keys;
  /** Creates, lists, changes, tests and deletes the webhooks of the project (docs/http.md#webhooks). */
  readonly webhooks: Webhooks;
}

/** Options of a single base or drive. */
export interface OpenOptions extends BasedriveOptions {
  /** Default: `BASEDRIVE_KEY`, else `DETA_PROJECT_KEY`. */
  readonly key?: string | undefined;
}

/**
 * Opens the project that the key belongs to. Sends no request.
 * @param key `{project}_{secret}`; default: `BASEDRIVE_KEY`, else `DETA_PROJECT_KEY` of the environment
 * @throws code `invalid` when the key is missing or malformed; `Base` and `Drive` of the result: when the address is
 * @example const { Base, Drive } = Basedrive('demo_s3cret', { url: 'https://data.example' });
 */
export function Basedrive(key?: string, options: BasedriveOptions = {}): Basedrive {
  const resolved = resolveKey(key);
  return withNullOptions<Basedrive>({
    Base: <T>(name: string, host?: string) =>
      openBase<T>(openEndpoint('Base', name, resolved, { ...options, host })),
    Drive: (name, host) => openDrive(openEndpoint('Drive', name, resolved, { ...options, host })),
    bases: (given = {}) => catalogNames(openProjectEndpoint('Base', resolved, options), 'bases', given),
    drives: (given = {}) => catalogNames(openProjectEndpoint('Drive', resolved, options), 'drives', given),
    changes: (given = {}) => followChanges(openProjectEndpoint('Base', resolved, options), given),
    changeLines: (given = {}) => followLines(openProjectEndpoint('Base', resolved, options), given),
    changesPage: async (given = {}) =>
      await readChangesPage(openProjectEndpoint('Base', resolved, options), given),
    keys: openKeys(() => openProjectEndpoint('Base', resolved, options)),
    webhooks: openWebhooks(() => openProjectEndpoint('Base', resolved, options)),
  });
}

/**
 * Opens a single base. A bundler then leaves out the code for drives.
 * @param options or the host, as in npm `deta`
 * @example const users = Base<User>('users');
 */
export function Base<T = unknown>(name: string, options: OpenOptions | string = {}): BaseCalls<T> {
  const { key, ...rest } = withHost(options);
  return openBase<T>(openEndpoint('Base', name, resolveKey(key), rest));
}

/**
 * Opens a single drive. A bundler then leaves out the code for bases.
 * @param options or the host, as in npm `deta`
 * @example const photos = Drive('photos');
 */
export function Drive(name: string, options: OpenOptions | string = {}): DriveCalls {
  const { key, ...rest } = withHost(options);
  return openDrive(openEndpoint('Drive', name, resolveKey(key), rest));
}

/** The types have the same names as the functions that make them. */
export type Base<T = unknown> = BaseCalls<T>;
export type Drive = DriveCalls;

function withHost(options: OpenOptions | string): OpenOptions & { host?: string } {
  return typeof options === 'string' ? { host: options } : { ...options };
}
