import type { Base as BaseCalls } from './base.js';
import type { Drive as DriveCalls } from './drive.js';
import { type BasedriveOptions, openEndpoint, resolveKey } from './endpoint.js';
import { openBase } from './open-base.js';
import { openDrive } from './open-drive.js';

/** Bases and drives of one project. */
export interface Basedrive {
  /**
   * A base; it comes into being with its first item.
   * @param name 1 to 255 bytes of UTF-8
   * @param host of this base, where it differs: `DETA_BASE_HOST` of the old library
   */
  Base<T = unknown>(name: string, host?: string): BaseCalls<T>;
  /**
   * A drive; it comes into being with its first file.
   * @param name 1 to 255 bytes of UTF-8
   * @param host of this drive, where it differs: `DETA_DRIVE_HOST` of the old library
   */
  Drive(name: string, host?: string): DriveCalls;
}

/** For a base or drive by itself. */
export interface OpenOptions extends BasedriveOptions {
  /** Default: `BASEDRIVE_KEY`, else `DETA_PROJECT_KEY`. */
  readonly key?: string | undefined;
}

/**
 * Bases and drives of the project that the key belongs to. Sends nothing yet.
 * @param key `{project}_{secret}`; default: `BASEDRIVE_KEY`, else `DETA_PROJECT_KEY` of the environment
 * @throws code `invalid` when there is no key, or the address is malformed
 * @example const { Base, Drive } = Basedrive('demo_s3cret', { url: 'https://data.example' });
 */
export function Basedrive(key?: string, options: BasedriveOptions = {}): Basedrive {
  const resolved = resolveKey(key);
  return {
    Base: <T>(name: string, host?: string) =>
      openBase<T>(openEndpoint('Base', name, resolved, { ...options, host })),
    Drive: (name, host) => openDrive(openEndpoint('Drive', name, resolved, { ...options, host })),
  };
}

/**
 * A base alone, for what needs no files.
 * @param options or the host, as the old library took it
 * @example const users = Base<User>('users');
 */
export function Base<T = unknown>(name: string, options: OpenOptions | string = {}): BaseCalls<T> {
  const { key, ...rest } = withHost(options);
  return openBase<T>(openEndpoint('Base', name, resolveKey(key), rest));
}

/**
 * A drive alone, for what needs no items.
 * @param options or the host, as the old library took it
 * @example const photos = Drive('photos');
 */
export function Drive(name: string, options: OpenOptions | string = {}): DriveCalls {
  const { key, ...rest } = withHost(options);
  return openDrive(openEndpoint('Drive', name, resolveKey(key), rest));
}

/** The types of the two, under the names of the functions that make them. */
export type Base<T = unknown> = BaseCalls<T>;
export type Drive = DriveCalls;

function withHost(options: OpenOptions | string): OpenOptions & { host?: string } {
  return typeof options === 'string' ? { host: options } : options;
}
