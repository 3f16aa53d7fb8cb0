/** Bytes that are text, and the text. */
interface FileText {
  readonly bytes: Uint8Array;
  readonly text: string;
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
/** A character has up to four bytes, so three of it may be there without the last one. */
const maxCutBytes = 3;

/**
 * The text of bytes, if they are UTF-8 without U+0000; otherwise undefined. With `isCut`, more bytes follow: a character
 * that is cut in two at the end is left out.
 */
export function wholeCharacters(bytes: Uint8Array, isCut: boolean): FileText | undefined {
  if (bytes.includes(0)) return undefined;
  for (let cut = 0; cut <= (isCut ? Math.min(maxCutBytes, bytes.length - 1) : 0); cut++) {
    try {
      const whole = bytes.subarray(0, bytes.length - cut);
      return { bytes: whole, text: decoder.decode(whole) };
    } catch {
      // It may end in the middle of a character.
    }
  }
  return undefined;
}
