/** The bytes of the chunks, one after the other. A single chunk is not copied. */
export function joined(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const [first, ...others] = chunks;
  if (first !== undefined && others.length === 0) return first as Uint8Array<ArrayBuffer>;
  const whole = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}
