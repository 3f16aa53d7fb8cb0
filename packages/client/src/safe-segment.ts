/** Characters that Windows does not take in the name of a file, and those that end a name in some programs. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const unsafeCharacter = /[<>:"/\\|?*\u0000-\u001f\u007f-\u009f]/;
const unsafeCharacters = new RegExp(unsafeCharacter, 'g');
/** Names of devices on Windows, with any extension. */
const device = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(\.|$)/i;
/** What looks like the number of a version on VMS: `unzip` drops it from the end of a name. */
const version = /;(?=\d*$)/;
/** File systems take names of at most 255 bytes; some room is left for a suffix. */
export const maxSegmentBytes = 200;

const utf8 = new TextEncoder();

/** Whether a text can be the name of a file or folder on every common file system. */
export function isSafeSegment(text: string): boolean {
  return (
    text !== '' &&
    !/^\.{1,2}$/.test(text) &&
    !/[. ]$/.test(text) &&
    !text.startsWith(' ') &&
    !unsafeCharacter.test(text) &&
    !device.test(text) &&
    !version.test(text) &&
    utf8.encode(text).length <= maxSegmentBytes
  );
}

/** The part of a text that can begin the name of a file: so that people recognise it. Empty only for an empty text. */
export function safeBeginning(text: string, maxCharacters = 40): string {
  const beginning = Array.from(text.replace(unsafeCharacters, '_'))
    .slice(0, maxCharacters)
    .join('')
    .replace(version, '_')
    .replace(/^[. ]+|[. ]+$/g, '_');
  return device.test(beginning) ? `_${beginning}` : beginning;
}

/** Two names with the same folded form are one name on a file system that ignores case or normalises Unicode. */
export function folded(text: string): string {
  return text.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFC');
}
