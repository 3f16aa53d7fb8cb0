/** How the images begin that models can look at. */
const signatures: readonly (readonly [type: string, pattern: RegExp])[] = [
  ['image/png', /^\x89PNG\r\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF.{4}WEBP/s],
];
const longestSignature = 12;

/**
 * The content type of an image that a model can look at, by its first bytes; undefined for other bytes. Whoever stored
 * a file chose its content type, and a model's service may refuse a conversation with what is no image.
 */
export function imageTypeOf(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, longestSignature)).toString('latin1');
  return signatures.find(([, pattern]) => pattern.test(start))?.[0];
}
