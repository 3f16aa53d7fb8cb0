/** The signs for control characters begin here in Unicode. */
const controlPictures = 0x2400;

/** Line breaks and other control characters as signs, and marks that turn the direction of the text made harmless. */
export function visible(text: string): string {
  return text
    .replace(/\p{Cc}/gu, (character) => String.fromCharCode(controlPictures + character.charCodeAt(0)))
    .replace(/[\u202a-\u202e\u2066-\u2069]/g, '\ufffd');
}

/** The name of an attribute. One that has only spaces is in quotes: it would look like none. */
export function visibleName(name: string): string {
  return name.trim() === '' ? JSON.stringify(name) : visible(name);
}
