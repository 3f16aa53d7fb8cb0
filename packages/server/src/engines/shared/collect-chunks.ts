/** The chunks of `read` in one buffer: `readWhole` of an engine without a faster way. */
export async function collectChunks(chunks: AsyncIterable<Buffer>, sizeBytes: number): Promise<Buffer> {
  const all = Buffer.allocUnsafeSlow(sizeBytes);
  let at = 0;
  for await (const chunk of chunks) at += chunk.copy(all, at);
  if (at !== sizeBytes) throw new Error(`A blob of ${sizeBytes} bytes ended at ${at}`);
  return all;
}
