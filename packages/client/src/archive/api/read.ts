import { setTimeout as wait } from 'node:timers/promises';
import { exportedLines } from '../../base/export-items.js';
import { openBase } from '../../base/open-base.js';
import { openDrive } from '../../drive/open-drive.js';
import { BasedriveError } from '../../http/error.js';
import { incomplete, requestBody, requestJson } from '../../http/request.js';
import { createRepeats, type Repeats } from '../../http/retry.js';
import type { FileDetails, FileParts } from '../../http-types.js';
import { newline } from '../json-bytes.js';
import { endpointOf, type ProjectAddress } from './address.js';
import { aroundDamage, type Gap, isDamage } from './around-damage.js';
import { edgeKey, isFolder, type RemoteFile } from './project.js';

const lineEnd = Buffer.from('\n');
/** No key comes after it. */
const afterAllKeys = '\u{10ffff}';

/** The file was overwritten or deleted since it was listed. */
export class FileChanged extends Error {
  override readonly name = 'FileChanged';
}

/**
 * All items of a base in the order of their keys: chunks of whole lines. `onGap` is told of the keys between which items
 * are damaged.
 */
export function readItems(
  address: ProjectAddress,
  name: string,
  onGap: (gap: Gap) => void,
): AsyncGenerator<Buffer, void, undefined> {
  const endpoint = endpointOf(address, name);
  const { signal } = address;
  const next = async (last: string | undefined): Promise<Buffer | undefined> => {
    const key = await edgeKey(openBase(endpoint), { last, signal });
    if (key === undefined) return undefined;
    const path = `/items/${encodeURIComponent(key)}`;
    const answer = await requestBody(endpoint, { method: 'GET', path, repeatable: true }, { signal });
    // It was deleted, or has expired, in between.
    if (answer === undefined) return await next(key);
    const { response, deadline } = answer;
    return Buffer.concat([Buffer.from(await response.arrayBuffer().finally(deadline.close)), lineEnd]);
  };
  return aroundDamage({ read: (last) => readItemsAfter(address, name, last), next, keyOf: lastKeyOf }, onGap);
}

/**
 * The items after a key (docs/http.md#export-items). When the connection is lost, it continues after the last item that
 * it gave. A proxy that loses its connection to the service may end an answer as if it were whole. So when an answer
 * ends before what was the last key at the beginning, the service is asked whether more items follow.
 */
async function* readItemsAfter(
  address: ProjectAddress,
  name: string,
  from: string | undefined,
): AsyncGenerator<Buffer, void, undefined> {
  const { signal } = address;
  const endpoint = endpointOf(address, name);
  const base = openBase(endpoint);
  const { retry } = endpoint.options;
  let repeats = createRepeats(retry);
  const end = await edgeKey(base, { desc: true, signal }).catch((cause: unknown) => {
    // The last items are damaged, and what comes before them is not.
    if (!isDamage(cause)) throw cause;
    return afterAllKeys;
  });
  let last = from;
  while (end !== undefined && (last === undefined || compareKeys(last, end) < 0)) {
    let lines: Buffer | undefined;
    for await (const bytes of exportedLines(endpoint, { last, signal })) {
      lines = bufferOf(bytes);
      yield lines;
    }
    if (lines !== undefined) {
      last = lastKeyOf(lines);
      repeats = createRepeats(retry);
      continue;
    }
    const next = await edgeKey(base, { last, signal });
    if (next === undefined || compareKeys(next, end) > 0) return;
    await beforeNextAttempt(address, repeats, incomplete());
  }
}

/** The key of the last of these lines. */
function lastKeyOf(lines: Buffer): string {
  const line = lines.subarray(lines.lastIndexOf(newline, -2) + 1);
  return (JSON.parse(line.toString()) as { key: string }).key;
}

/** The files of a drive by their names, then the markers of its folders. `onGap` is told of names as `readItems` does. */
export async function* readFiles(
  address: ProjectAddress,
  name: string,
  onGap: (gap: Gap) => void,
): AsyncGenerator<RemoteFile, void, undefined> {
  const { signal } = address;
  const drive = openDrive(endpointOf(address, name));
  for (const folders of [undefined, true]) {
    const options = { folders, signal };
    const files = aroundDamage<FileDetails>(
      {
        read: (last) => drive.files({ ...options, last }),
        next: async (last) => (await drive.list({ ...options, last, limit: 1, details: true })).files?.[0],
        keyOf: (file) => file.name,
      },
      onGap,
    );
    // An earlier version lists files again.
    for await (const file of files) if (!folders || isFolder(file.name)) yield file as RemoteFile;
  }
}

/**
 * The bytes of a file from an offset on (docs/http.md#ranges). When the connection is lost, it continues where it was.
 * Throws `FileChanged` if the file is not the listed one any more.
 */
export async function* readFileBytes(
  address: ProjectAddress,
  drive: string,
  { name, etag, size }: RemoteFile,
  from = 0,
): AsyncGenerator<Buffer, void, undefined> {
  const { signal } = address;
  const endpoint = endpointOf(address, drive);
  const { retry } = endpoint.options;
  let repeats = createRepeats(retry);
  let at = from;
  while (at < size || size === 0) {
    const range = at > 0 ? { from: at } : undefined;
    const file = await openDrive(endpoint)
      .get(name, { range, ifMatch: etag, folder: isFolder(name), signal })
      .catch((cause: unknown) => {
        if (cause instanceof BasedriveError && cause.code === 'condition_failed') return null;
        throw cause;
      });
    if (file === null) throw new FileChanged(name);
    if (file.status !== (at > 0 ? 206 : 200))
      throw new BasedriveError('unexpected', `The answer is ${file.status}`, { status: file.status });
    try {
      for await (const bytes of file.stream()) {
        repeats = createRepeats(retry);
        at += bytes.length;
        yield bufferOf(bytes);
      }
      if (at === size) return;
      // If a proxy has changed the length, a body that is too short looks whole.
      throw incomplete();
    } catch (cause) {
      if (!(cause instanceof BasedriveError) || cause.code !== 'network') throw cause;
      await beforeNextAttempt(address, repeats, cause);
    }
  }
}

/**
 * The parts in which an S3 client sent a file (docs/http.md#file-parts); undefined if it sent it whole, or if the
 * version of the service does not tell. Throws `FileChanged` if the file is not the listed one any more.
 */
export async function readFileParts(
  address: ProjectAddress,
  drive: string,
  { name, etag, md5 }: RemoteFile,
): Promise<FileParts['parts'] | undefined> {
  if (!md5?.includes('-')) return undefined;
  const call = {
    method: 'GET',
    path: `/files/parts?name=${encodeURIComponent(name)}`,
    repeatable: true,
  } as const;
  const { signal } = address;
  const { error, value } = await requestJson(endpointOf(address, drive), call, { signal });
  if (error?.codes[0]?.code === 'file_not_found') throw new FileChanged(name);
  if (error !== undefined) return undefined;
  const found = value as FileParts;
  if (found.etag !== etag) throw new FileChanged(name);
  return found.parts;
}

/** Waits before the next attempt. Throws the failure if there is none left. */
async function beforeNextAttempt(
  { signal }: ProjectAddress,
  repeats: Repeats,
  failure: BasedriveError,
): Promise<void> {
  const delay = repeats();
  if (delay === undefined) throw failure;
  await wait(delay, undefined, { signal });
}

function bufferOf({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length);
}

/** Keys are in the order of their UTF-8 bytes (docs/http.md#items). */
function compareKeys(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
