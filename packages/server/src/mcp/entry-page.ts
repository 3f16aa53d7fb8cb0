/** Takes entries from the start until their JSON has `maxBytes` bytes, one or more. Gives them. */
export function takeEntries<T>(entries: readonly T[], maxBytes: number): readonly T[] {
  let total = 0;
  const end = entries.findIndex((entry, index) => {
    total += Buffer.byteLength(JSON.stringify(entry));
    return index > 0 && total > maxBytes;
  });
  return end === -1 ? entries : entries.slice(0, end);
}
