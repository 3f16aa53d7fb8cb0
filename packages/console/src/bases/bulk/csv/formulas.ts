// A spreadsheet runs a text that begins as a formula does, wherever it came from: it can send what else is in the sheet.

const formula = /^'*[=+\-@\t\r]/;

/** A text that no spreadsheet runs: with an apostrophe before what could be a formula. */
export function neutralised(text: string): string {
  return formula.test(text) ? `'${text}` : text;
}

/** Whether a text has the apostrophe of `neutralised`. */
export function isNeutralised(text: string): boolean {
  return text.startsWith("'") && formula.test(text);
}
