import { readBytes } from '../read-file.js';
import { placeOf, slotBytes } from './packed-id.js';
import { headerBytes, readHeader, type SlotHeader, slotBlockBytes } from './slot.js';

/** What a walk finds in a pack. */
export interface Slot extends SlotHeader {
  /** Where it begins, in bytes. */
  readonly at: number;
}

/** Blocks where nothing was written are looked through so many bytes at a time. */
const stretchBytes = 64 * slotBlockBytes;

/**
 * The slots of a pack, in their order. `onDamage` is called when something is neither a slot nor empty: a write that a
 * power cut has torn, or a header that the disk has changed. Then slots may be missing, whose blobs can be read all the same.
 */
export async function* walkSlots(pack: string, file: number, onDamage: () => void): AsyncGenerator<Slot> {
  let at = 0;
  for (;;) {
    const header = readHeader(await readBytes(file, at, headerBytes));
    if (typeof header === 'object' && belongsTo(header, pack, at)) {
      yield { ...header, at };
      at += header.slotBytes;
      continue;
    }
    const stretch = await readBytes(file, at, stretchBytes);
    if (stretch.length === 0) return;
    let passed = 0;
    for (; passed < stretch.length; passed += slotBlockBytes) {
      const next = readHeader(stretch, passed);
      if (typeof next === 'object' && belongsTo(next, pack, at + passed)) break;
      if (next !== 'empty') onDamage();
    }
    at += passed;
  }
}

/** Whether a header is that of a slot in this place, and not bytes of a blob that look like one. */
function belongsTo({ id, state, slotBytes: length }: SlotHeader, pack: string, at: number): boolean {
  const place = placeOf(id);
  const own = slotBytes(place.sizeBytes);
  // A hole may have taken up the slots behind it.
  return place.pack === pack && place.at === at && (state === 'hole' ? length >= own : length === own);
}
