import { compareUtf8 } from '../../lib/utf8-order.js';
import type { ProjectAddress } from './address.js';
import { fileCall, type RemoteFile, segment } from './project.js';
import { ConnectionLost, createPatience, type OpenAnswer, open, refused } from './request.js';

/** The file was overwritten or deleted since it was listed. */
export class FileChanged extends Error {
  override readonly name = 'FileChanged';
}

const newline = 0x0a;

/**
 * All items of a base in the order of their keys (docs/http.md#export-items): chunks of whole lines. When the
 * connection is lost, it continues after the last item that it gave.
 */
export async function* readItems(
  address: ProjectAddress,
  base: string,
): AsyncGenerator<Buffer, void, undefined> {
  const patience = createPatience();
  let lastLine: Buffer | undefined;
  for (;;) {
    const lastKey = lastLine === undefined ? undefined : keyOf(lastLine);
    try {
      const after = lastKey === undefined ? '' : `?last=${encodeURIComponent(lastKey)}`;
      const answer = await open(address, { method: 'GET', path: `/${segment(base)}/items${after}` });
      if (answer.status !== 200) throw refused(address, await wholeAnswer(answer));
      const lines = wholeLines(answer.body);
      for await (const chunk of lastKey === undefined ? lines : linesAfter(lastKey, lines)) {
        patience.progressed();
        yield chunk;
        lastLine = chunk.subarray(chunk.lastIndexOf(newline, -2) + 1);
      }
      return;
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
  const patience = createPatience();
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

async function wholeAnswer({ status, body }: OpenAnswer) {
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return { status, text: Buffer.concat(chunks).toString() };
}

/** Joins chunks so that each ends with the end of a line. */
async function* wholeLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
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
}

/** Leaves out what a server gives again that does not know the parameter `last`. */
async function* linesAfter(
  lastKey: string,
  chunks: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer, void, undefined> {
  let isBehind = false;
  for await (const chunk of chunks) {
    let start = 0;
    while (!isBehind && start < chunk.length) {
      const end = chunk.indexOf(newline, start) + 1;
      isBehind = compareUtf8(keyOf(chunk.subarray(start, end)), lastKey) > 0;
      if (!isBehind) start = end;
    }
    if (start < chunk.length) yield chunk.subarray(start);
  }
}

function keyOf(line: Buffer): string {
  return (JSON.parse(line.toString()) as { key: string }).key;
}
