import { setTimeout as wait } from 'node:timers/promises';
import { exportedLines } from '../../base/export-items.js';
import { openBase } from '../../base/open-base.js';
import { openDrive } from '../../drive/open-drive.js';
import { BasedriveError } from '../../http/error.js';
import { incomplete, requestJson } from '../../http/request.js';
import { createRepeats, type Repeats } from '../../http/retry.js';
import type { FileParts } from '../../http-types.js';
import { newline } from '../json-bytes.js';
import { endpointOf, type ProjectAddress } from './address.js';
import { edgeKey, isFolder, type RemoteFile } from './project.js';

/** The file was overwritten or deleted since it was listed. */
export class FileChanged extends Error {
  override readonly name = 'FileChanged';
}

/**
 * All items of a base in the order of their keys (docs/http.md#export-items): chunks of whole lines. When the
 * connection is lost, it continues after the last item that it gave. A proxy that loses its connection to the service
 * may end an answer as if it were whole. So when an answer ends before what was the last key at the beginning, the
 * service is asked whether more items follow.
 */
export async function* readItems(
  address: ProjectAddress,
  name: string,
): AsyncGenerator<Buffer, void, undefined> {
  const { signal } = address;
  const endpoint = endpointOf(address, name);
  const base = openBase(endpoint);
  const { retry } = endpoint.options;
  let repeats = createRepeats(retry);
  const end = await edgeKey(base, { desc: true, signal });
  let last: string | undefined;
  while (end !== undefined && (last === undefined || compareKeys(last, end) < 0)) {
    let line: Buffer | undefined;
    for await (const bytes of exportedLines(endpoint, { last, signal })) {
      const chunk = bufferOf(bytes);
      yield chunk;
      line = chunk.subarray(chunk.lastIndexOf(newline, -2) + 1);
    }
    if (line !== undefined) {
      last = (JSON.parse(line.toString()) as { key: string }).key;
      repeats = createRepeats(retry);
      continue;
    }
    const next = await edgeKey(base, { last, signal });
    if (next === undefined || compareKeys(next, end) > 0) return;
    await beforeNextAttempt(address, repeats, incomplete());
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
