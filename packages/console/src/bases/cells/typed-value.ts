import { type Kind, kindOf } from '../../exact/scan.js';
import { guessKind, readText } from '../edit/text.js';

/**
 * The value of a text that comes from a spreadsheet, as JSON text. It has the type of the value that it replaces, else that
 * of its column, where the text allows it; else the type that it looks like. No text is no value.
 */
export function typedValue(text: string, before: string | undefined, ofColumn: Kind): string | undefined {
  if (text === '') return undefined;
  const kind = before === undefined || before === 'null' ? ofColumn : kindOf(before);
  const kept = kind === 'null' ? undefined : readText(kind, kind === 'boolean' ? text.toLowerCase() : text);
  if (kept !== undefined && 'json' in kept) return kept.json;
  const guessed = readText(guessKind(text), text);
  return 'json' in guessed ? guessed.json : JSON.stringify(text);
}
