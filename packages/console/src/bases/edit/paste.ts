import { kindOf } from '../../exact/scan.js';
import type { Row } from '../view/row.js';
import { draftProblem } from './item-draft.js';
import type { Staged } from './staged.js';
import { guessKind, readText } from './text.js';

interface PasteTarget {
  readonly staged: Staged;
  /** The items of the rows from the active one on; undefined beyond the last loaded one. */
  rowAt(at: number): Row | undefined;
  /** The attributes from the active column on. */
  readonly names: readonly string[];
}

/**
 * Stages a block as a spreadsheet copies it: lines of cells with tabs between them. A value keeps the type that its cell
 * had where the text allows it. What goes beyond the last loaded row or column is left out, and keys stay as they are. So do
 * items whose JSON has a mistake: gives how many.
 */
export function pasteBlock(text: string, { staged, rowAt, names }: PasteTarget): number {
  let left = 0;
  const lines = text.replace(/\r?\n$/, '').split(/\r?\n/);
  for (const [at, line] of lines.entries()) {
    const row = rowAt(at);
    if (row === undefined) break;
    const item = staged.items.peek().get(row.key);
    const origin = item?.row ?? row;
    if (draftProblem(row.key, item) !== undefined) {
      left++;
      continue;
    }
    for (const [cell, value] of line.split('\t').entries()) {
      const name = names[cell];
      if (name !== undefined && name !== 'key')
        staged.set(origin, name, valueFor(value, origin.attributes.get(name)));
    }
  }
  return left;
}

function valueFor(text: string, before: string | undefined): string {
  const kept = before === undefined || before === 'null' ? undefined : readText(kindOf(before), text);
  if (kept !== undefined && 'json' in kept) return kept.json;
  const guessed = readText(guessKind(text), text);
  return 'json' in guessed ? guessed.json : JSON.stringify(text);
}
