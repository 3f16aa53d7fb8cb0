import { newline } from '../json-bytes.js';
import type { ProjectAddress } from './address.js';
import { edgeKey, fileCall, type RemoteFile, segment } from './project.js';
import { ConnectionLost, createPatience, open, refused, wholeAnswer } from './request.js';

/** The file was overwritten or deleted since it was listed. */
export class FileChanged extends Error {
  override readonly name = 'FileChanged';
}

/**
 * All items of a base in the order of their keys (docs/http.md#export-items): chunks of whole lines. When the
 * connection is lost, it continues after the last item that it gave. A proxy that loses its connection to the service
 * may end an answer as if it were whole. So an answer that ends before the key that was the last one at the beginning
 * is compared with the service.
 */
export async function* readItems(
  address: ProjectAddress,
  base: string,
): AsyncGenerator<Buffer, void, undefined> {
  const patience = createPatience(address);
  const end = await edgeKey(address, base, { sort: 'desc' });
  let lastLine: Buffer | undefined;
  for (;;) {
    const last = lastLine === undefined ? undefined : keyOf(lastLine);
    if (end === undefined || (last !== undefined && compareKeys(last, end) >= 0)) return;
    try {
      const after = last === undefined ? '' : `?last=${encodeURIComponent(last)}`;
      const answer = await open(address, { method: 'GET', path: `/${segment(base)}/items${after}` });
      if (answer.status !== 200) throw refused(address, await wholeAnswer(answer));
      let isEmpty = true;
      for await (const chunk of wholeLines(address, answer.body)) {
        isEmpty = false;
        patience.progressed();
        yield chunk;
        lastLine = chunk.subarray(chunk.lastIndexOf(newline, -2) + 1);
      }
      if (!isEmpty) continue;
      const next = await edgeKey(address, base, { sort: 'asc', last });
      if (next === undefined || compareKeys(next, end) > 0) return;
      throw new ConnectionLost(`${address.shown} ended an answer before its first item`);
    } catch (cause) {
      if (!(cause instanceof ConnectionLost)) throw cause;
      await patience.failed(cause);
    }
  }
}

/**
 * The bytes of a file from an offset on (docs/http.md#ranges). When the connection is lost, it continues where it was.
 * Throws `FileChanged` if the file is not the listed one any more.
 */
export async function* readFileBytes(
  address: ProjectAddress,
  drive: string,
  file: RemoteFile,
  from = 0,
): AsyncGenerator<Buffer, void, undefined> {
  const patience = createPatience(address);
  let at = from;
  while (at < file.size || file.size === 0) {
    try {
      const headers = { 'If-Match': file.etag, ...(at > 0 && { Range: `bytes=${at}-` }) };
      const answer = await open(address, {
        ...fileCall('GET', drive, '/files/download?', file.name),
        headers,
      });
      if (answer.status !== (at > 0 ? 206 : 200)) {
        const whole = await wholeAnswer(answer);
        throw [404, 412].includes(whole.status) ? new FileChanged(file.name) : refused(address, whole);
      }
      for await (const chunk of answer.body) {
        patience.progressed();
        at += chunk.length;
        yield chunk;
      }
      if (at === file.size) return;
      // The end of a body that is too short looks like a whole one if a proxy has changed its length.
      throw new ConnectionLost(`${address.shown} sent ${at} of the ${file.size} bytes of a file`);
    } catch (cause) {
      if (!(cause instanceof ConnectionLost)) throw cause;
      await patience.failed(cause);
    }
  }
}

/** Joins chunks so that each ends with the end of a line. Throws `ConnectionLost` if the last line does not. */
async function* wholeLines(
  { shown }: ProjectAddress,
  chunks: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer, void, undefined> {
  let rest: Buffer[] = [];
  for await (const chunk of chunks) {
    const end = chunk.lastIndexOf(newline) + 1;
    if (end === 0) {
      rest.push(chunk);
      continue;
    }
    const whole = chunk.subarray(0, end);
    yield rest.length === 0 ? whole : Buffer.concat([...rest, whole]);
    rest = end === chunk.length ? [] : [chunk.subarray(end)];
  }
  // A proxy may end an answer as if it were whole.
  if (rest.length > 0) throw new ConnectionLost(`${shown} ended an answer in the middle of an item`);
}

function keyOf(line: Buffer): string {
  return (JSON.parse(line.toString()) as { key: string }).key;
}

/** Keys are in the order of their UTF-8 bytes (docs/http.md#items). */
function compareKeys(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
