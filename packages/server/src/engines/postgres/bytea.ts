const byteaType = 17;
const int8Type = 20;

/**
 * A list of byte strings as a `bytea[]` in PostgreSQL's binary format. The driver would send it as text, where each
 * byte takes two letters.
 */
export function byteaArray(items: readonly Buffer[]): Buffer {
  return arrayOf(byteaType, items);
}

/** A list of whole numbers as a `bigint[]` in the same format. `undefined` becomes NULL. */
export function bigintArray(items: readonly (number | undefined)[]): Buffer {
  return arrayOf(
    int8Type,
    items.map((item) => {
      if (item === undefined) return undefined;
      const bytes = Buffer.allocUnsafe(8);
      bytes.writeBigInt64BE(BigInt(item));
      return bytes;
    }),
  );
}

function arrayOf(type: number, items: readonly (Buffer | undefined)[]): Buffer {
  const size = items.reduce((sum, item) => sum + 4 + (item?.length ?? 0), 20);
  const array = Buffer.allocUnsafe(size);
  let at = 0;
  const int32 = (value: number) => {
    at = array.writeInt32BE(value, at);
  };
  int32(1); // dimensions
  int32(items.includes(undefined) ? 1 : 0); // has nulls
  int32(type);
  int32(items.length);
  int32(1); // the first index
  for (const item of items) {
    int32(item?.length ?? -1);
    if (item === undefined) continue;
    array.set(item, at);
    at += item.length;
  }
  return array;
}
