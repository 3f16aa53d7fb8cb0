import { validateHeaderValue } from 'node:http';

/** Whether a text may be the value of a header. Texts that clients store may be given back as one. */
export function isHeaderValue(text: string): boolean {
  try {
    validateHeaderValue('Content-Type', text);
    return true;
  } catch {
    return false;
  }
}
