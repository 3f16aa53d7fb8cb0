/** `readWhole` of an engine that has no shorter way: what `read` gives, in one buffer. */
export async function gather(chunks: AsyncIterable<Buffer>, sizeBytes: number): Promise<Buffer> {
  const all = Buffer.allocUnsafeSlow(sizeBytes);
  let at = 0;
  for await (const chunk of chunks) at += chunk.copy(all, at);
  if (at !== sizeBytes) throw new Error(`A blob of ${sizeBytes} bytes ended at ${at}`);
  return all;
}
