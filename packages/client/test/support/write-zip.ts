import { crc32, deflateRawSync } from 'node:zlib';

/** An entry of an archive, with what an attacker may choose freely. */
export interface HostileEntry {
  readonly path: string;
  readonly bytes: Buffer | string;
  readonly deflated?: boolean;
  /** Instead of what is right. */
  readonly crc32?: number;
  readonly size?: number;
  /** The type and mode of Unix. */
  readonly mode?: number;
  readonly flags?: number;
  /** The number of an earlier entry whose bytes this one shares. */
  readonly sharedWith?: number;
}

/** Makes a zip archive, which a library would refuse to make. */
export function writeZip(entries: readonly HostileEntry[]): Buffer {
  const parts: Buffer[] = [];
  const heads: Buffer[] = [];
  const offsets: number[] = [];
  let at = 0;
  for (const entry of entries) {
    const raw = Buffer.from(entry.bytes);
    const data = entry.deflated ? deflateRawSync(raw) : raw;
    const name = Buffer.from(entry.path);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE((entry.flags ?? 0) | 0x800, 2);
    common.writeUInt16LE(entry.deflated ? 8 : 0, 4);
    common.writeUInt32LE(entry.crc32 ?? crc32(raw), 10);
    common.writeUInt32LE(data.length, 14);
    common.writeUInt32LE(entry.size ?? raw.length, 18);
    common.writeUInt16LE(name.length, 22);
    const offset = entry.sharedWith === undefined ? at : (offsets[entry.sharedWith] as number);
    offsets.push(offset);
    if (entry.sharedWith === undefined) {
      const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, name, data]);
      parts.push(local);
      at += local.length;
    }
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(((entry.mode ?? 0o100644) << 16) >>> 0, 6);
    tail.writeUInt32LE(offset, 10);
    heads.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x03'), common, tail, name]));
  }
  const directory = Buffer.concat(heads);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(directory.length, 8);
  end.writeUInt32LE(at, 12);
  return Buffer.concat([...parts, directory, Buffer.from('PK\x05\x06'), end]);
}
