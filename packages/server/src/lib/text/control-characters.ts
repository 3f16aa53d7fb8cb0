// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const controlCharacter = /[\u0000-\u001f\u007f-\u009f]/;

/** Whether a text has one of U+0000–U+001F and U+007F–U+009F: no name may (docs/http.md#paths, #files-and-names). */
export function hasControlCharacter(text: string): boolean {
  return controlCharacter.test(text);
}
