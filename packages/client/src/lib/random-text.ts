const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** Unguessable letters and digits, all equally likely. */
export function randomText(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(2 * length))) {
      // 252 is the largest multiple of 36 in a byte: larger bytes would make some letters more likely.
      if (byte < 252 && text.length < length) text += alphabet[byte % 36];
    }
  }
  return text;
}
