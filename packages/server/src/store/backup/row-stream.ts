import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import type { ScannedRow } from '../../engines/item-store.js';
import { OperatorError } from '../../operator-error.js';

/**
 * Rows as bytes. A row is its space (only when it differs from that of the row before), key, due time and value, each
 * with its length; the number of rows comes at the end. All of it is compressed.
 */
export interface SpacedRow {
  readonly space: string;
  readonly row: ScannedRow;
}

const spaceRecord = 1;
const rowRecord = 2;
const endRecord = 3;
const noDue = 2 ** 48 - 1;
const chunkBytes = 64 * 1024;
/** The fastest: most of the rows are text, which still becomes a fraction of its size. */
const level = 1;

export async function* encodeRows(rows: AsyncIterable<SpacedRow>): AsyncGenerator<Buffer> {
  const zip = createGzip({ level });
  const packed = pipeline(Readable.from(records(rows)), zip);
  packed.catch(() => {});
  yield* zip as AsyncIterable<Buffer>;
  await packed;
}

async function* records(rows: AsyncIterable<SpacedRow>): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [];
  let bytes = 0;
  let current: string | undefined;
  let count = 0;
  for await (const { space, row } of rows) {
    const added = space === current ? [rowOf(row)] : [spaceOf(space), rowOf(row)];
    current = space;
    count++;
    for (const part of added) {
      parts.push(part);
      bytes += part.length;
    }
    if (bytes < chunkBytes) continue;
    yield Buffer.concat(parts);
    parts = [];
    bytes = 0;
  }
  const end = Buffer.alloc(7, endRecord);
  end.writeUIntBE(count, 1, 6);
  yield Buffer.concat([...parts, end]);
}

function spaceOf(space: string): Buffer {
  const name = Buffer.from(space);
  const head = Buffer.alloc(3, spaceRecord);
  head.writeUInt16BE(name.length, 1);
  return Buffer.concat([head, name]);
}

function rowOf({ key, value, dueSeconds = noDue }: ScannedRow): Buffer {
  const keyBytes = Buffer.from(key);
  const head = Buffer.alloc(13, rowRecord);
  head.writeUIntBE(dueSeconds, 1, 6);
  head.writeUInt16BE(keyBytes.length, 7);
  head.writeUInt32BE(value.length, 9);
  return Buffer.concat([head, keyBytes, value]);
}

/** Throws `OperatorError` if the rows do not end where they should. */
export async function* decodeRows(chunks: AsyncIterable<Buffer>): AsyncGenerator<SpacedRow> {
  const unzip = createGunzip();
  const unpacked = pipeline(Readable.from(chunks), unzip);
  unpacked.catch(() => {});
  const reader = createReader(unzip as AsyncIterable<Buffer>);
  let space = '';
  let count = 0;
  for (;;) {
    const kind = (await reader.take(1))[0];
    if (kind === spaceRecord) {
      const length = (await reader.take(2)).readUInt16BE(0);
      space = (await reader.take(length)).toString();
    } else if (kind === rowRecord) {
      const head = await reader.take(12);
      const due = head.readUIntBE(0, 6);
      const key = (await reader.take(head.readUInt16BE(6))).toString();
      const value = await reader.take(head.readUInt32BE(8));
      count++;
      yield { space, row: due === noDue ? { key, value } : { key, value, dueSeconds: due } };
    } else {
      const said = kind === endRecord ? (await reader.take(6)).readUIntBE(0, 6) : -1;
      if (said !== count)
        throw new OperatorError('The backup is damaged: its rows do not end as they should');
      await unpacked;
      return;
    }
  }
}

/** Takes numbers of bytes from chunks of any size. */
function createReader(chunks: AsyncIterable<Buffer>) {
  const iterator = chunks[Symbol.asyncIterator]();
  let rest: Buffer = Buffer.alloc(0);
  return {
    async take(bytes: number): Promise<Buffer> {
      const parts = [rest];
      let length = rest.length;
      while (length < bytes) {
        const { done, value } = await iterator.next();
        if (done) throw new OperatorError('The backup is damaged: its rows end too early');
        parts.push(value);
        length += value.length;
      }
      const all = parts.length === 1 ? rest : Buffer.concat(parts);
      rest = all.subarray(bytes);
      return all.subarray(0, bytes);
    },
  };
}
