export const maxItemBytes = 400 * 1024;
export const maxBodyBytes = 16 * 1024 * 1024;
export const maxDeleteBodyBytes = 8 * 1024 * 1024;

/** `text`, repeated with commas as often as it fits into `bytes`. */
export function filled(bytes: number, text: string): string {
  return Array(Math.max(1, Math.floor(bytes / (text.length + 1))))
    .fill(text)
    .join(',');
}

export const listed = (count: number, make: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => make(n)).join();

/** An item of nearly `maxItemBytes` with the attribute `a`. */
export const largeItem = (value: (bytes: number) => string, key = 'k') =>
  `{"key":"${key}","a":${value(maxItemBytes - 64)}}`;
export const denseList = (bytes: number) => `[${filled(bytes, '0')}]`;
export const denseObjects = (bytes: number) => `[${filled(bytes, '{"a":1}')}]`;
export const manyMembers = (bytes: number) =>
  `{${listed(Math.floor(bytes / 11), (n) => `"${String(n).padStart(6, '0')}":1`)}}`;
export const longText = (bytes: number) => `"${'a'.repeat(bytes)}"`;
export const escapedText = (bytes: number) => `"${'\\n'.repeat(bytes / 2)}"`;
export const nested = (bytes: number) => `${'['.repeat(98)}${filled(bytes - 200, '0')}${']'.repeat(98)}`;
