const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** Unguessable letters and digits, each as likely as any other. */
export function randomText(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(2 * length))) {
      // 252 is the last multiple of 36 in a byte: what is beyond would favour some letters.
      if (byte < 252 && text.length < length) text += alphabet[byte % 36];
    }
  }
  return text;
}
