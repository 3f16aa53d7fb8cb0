import { pathToFileURL } from 'node:url';
import type { Finding } from '../lib/finding.js';
import { isSystemError } from '../lib/folder.js';
import { pathProblem } from '../lib/text/path-problem.js';
import { OperatorError } from '../operator-error.js';
import type { BlobStore } from './blob-store.js';
import type { BlobEngine, Engine, ItemEngine, StoreLocation, Variables } from './engine.js';
import { fsEngine } from './fs/engine.js';
import type { ItemStore } from './item-store.js';
import { levelEngine } from './level/engine.js';
import { memoryBlobEngine, memoryItemEngine } from './memory/engine.js';
import { postgresEngine } from './postgres/engine.js';
import { s3Engine } from './s3/engine.js';
import { StorageUnavailable } from './storage-errors.js';

/** All engines. To add one, make a folder for it and add its descriptor to one of these lists. */
const itemEngines: readonly ItemEngine[] = [levelEngine, memoryItemEngine, postgresEngine];
const blobEngines: readonly BlobEngine[] = [fsEngine, memoryBlobEngine, s3Engine];

/** The address of a store in memory. */
export const memoryAddress = 'memory:';

/** Which store to open, and how. */
export interface OpenOptions extends Omit<StoreLocation, 'url'> {
  /** A URL, or the path of a folder. */
  readonly address: string;
}

/** What is wrong with the address of rows that the operator gave, or undefined. */
export function itemsAddressProblem(address: string): string | undefined {
  return isFolderPath(address) ? `must be ${urlForms(itemEngines)}` : addressProblem(itemEngines, address);
}

/** What is wrong with the address of blobs that the operator gave, or undefined. */
export function blobsAddressProblem(address: string): string | undefined {
  return isFolderPath(address)
    ? pathProblem(address)
    : addressProblem(blobEngines, address, ' or the path of a folder');
}

/** Whether an address is the path of a folder and not a URL. */
export function isFolderPath(address: string): boolean {
  return address !== memoryAddress && !/^[a-z][a-z0-9+.-]*:\/\//i.test(address);
}

/** An address as it may be printed: a URL without user, password and options. The path of a folder stays as it is. */
export function shownAddress(address: string): string {
  if (isFolderPath(address)) return address;
  const { protocol, host, pathname } = toUrl(address);
  return `${protocol}//${host}${pathname}`;
}

/** The names of the variables that engines read; a `*` at the end stands for any further characters. */
export function engineVariableNames(): readonly string[] {
  return [...itemEngines, ...blobEngines].flatMap((engine) => engine.variables);
}

/** The variables among these that an engine reads. */
export function engineVariables(variables: Variables): Variables {
  const patterns = engineVariableNames();
  const isRead = (name: string) =>
    patterns.some((pattern) =>
      pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern,
    );
  return Object.fromEntries(Object.entries(variables).filter(([name]) => isRead(name)));
}

/** Opens the rows. Throws what `Engine.open` throws, but `OperatorError` with one line if they cannot be reached. */
export async function openItems(options: OpenOptions): Promise<ItemStore> {
  return await withEngine('rows', itemEngines, options, (engine, location) => engine.open(location));
}

/** Opens the blobs. Throws what `Engine.open` throws, but `OperatorError` with one line if they cannot be reached. */
export async function openBlobs(options: OpenOptions): Promise<BlobStore> {
  return await withEngine('bytes', blobEngines, options, (engine, location) => engine.open(location));
}

/**
 * Creates the tables of a database, or migrates them to this version. Gives a sentence for each change; undefined when
 * the engine needs no tables. Throws `OperatorError`, with one line for the operator.
 */
export async function migrateItems(
  address: string,
  variables: Variables,
): Promise<readonly string[] | undefined> {
  const options = { address, variables, create: true };
  return await withEngine('rows', itemEngines, options, async (engine, at) => await engine.migrate?.(at));
}

/** What the operator should know of rows that can be opened: `Engine.examine`. Throws what `openItems` throws. */
export async function examineItems(address: string, variables: Variables): Promise<readonly Finding[]> {
  const options = { address, variables, create: false };
  return await withEngine(
    'rows',
    itemEngines,
    options,
    async (engine, at) => (await engine.examine?.(at)) ?? [],
  );
}

/** What the operator should know of blobs that can be opened: `Engine.examine`. Throws what `openBlobs` throws. */
export async function examineBlobs(address: string, variables: Variables): Promise<readonly Finding[]> {
  const options = { address, variables, create: false };
  return await withEngine(
    'bytes',
    blobEngines,
    options,
    async (engine, at) => (await engine.examine?.(at)) ?? [],
  );
}

/** What the operator can do about a failure to open the store at an address; undefined if its engine knows nothing. */
export function openAdvice(address: string, failure: unknown): string | undefined {
  const engine = schemeEngine(toUrl(address).protocol);
  for (let cause = failure; cause instanceof Error; cause = cause.cause) {
    const { code = '', name } = cause as { readonly code?: unknown } & Error;
    const advice = engine?.advice?.[String(code)] ?? engine?.advice?.[name];
    if (advice !== undefined) return advice;
  }
  return undefined;
}

function addressProblem<Store>(
  engines: readonly Engine<Store>[],
  address: string,
  orElse = '',
): string | undefined {
  const url = urlOf(address);
  const engine = engines.find(({ schemes, isRemote }) => isRemote && schemes.includes(url?.protocol ?? ''));
  if (url === undefined || engine === undefined) return `must be ${urlForms(engines)}${orElse}`;
  return engine.urlProblem(url);
}

function urlForms<Store>(engines: readonly Engine<Store>[]): string {
  return engines
    .filter(({ isRemote }) => isRemote)
    .map(({ urlForm }) => urlForm)
    .join(' or ');
}

function toUrl(address: string): URL {
  if (isFolderPath(address)) return pathToFileURL(address);
  const url = urlOf(address);
  if (url === undefined) throw new OperatorError('The address of an engine is not a URL');
  return url;
}

function schemeEngine(scheme: string): ItemEngine | BlobEngine | undefined {
  return [...itemEngines, ...blobEngines].find(({ schemes }) => schemes.includes(scheme));
}

function urlOf(address: string): URL | undefined {
  const scheme = /^[^/]*:/.exec(address)?.[0].toLowerCase() ?? '';
  const url = schemeEngine(scheme)?.toUrl?.(address) ?? address;
  return URL.canParse(url) ? new URL(url) : undefined;
}

/** Does the work with the engine of an address, and says of a failure that `what` of it cannot be opened. */
async function withEngine<Store, T>(
  what: string,
  engines: readonly Engine<Store>[],
  { address, ...options }: OpenOptions,
  work: (engine: Engine<Store>, location: StoreLocation) => Promise<T>,
): Promise<T> {
  const url = toUrl(address);
  const engine = engines.find(({ schemes }) => schemes.includes(url.protocol));
  if (engine === undefined) throw new OperatorError(`No engine handles ${shownAddress(url.href)}`);
  try {
    return await work(engine, { url, ...options });
  } catch (cause) {
    // The operator can correct a disk or a server that is unavailable; anything else is a defect.
    if (!(cause instanceof StorageUnavailable || isSystemError(cause))) throw cause;
    throw new OperatorError(`The ${what} in ${shownAddress(address)} cannot be opened: ${cause.message}`, {
      cause,
    });
  }
}
