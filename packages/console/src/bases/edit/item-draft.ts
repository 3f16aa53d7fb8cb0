import { compact, indent, jsonProblem } from '../../exact/print.js';
import { kindOf } from '../../exact/scan.js';
import { type Row, readRow } from '../view/row.js';
import { applyChanges, type Changes } from './item-text.js';

/** What becomes of an item when it is saved. Cells, fields and JSON are views of it. */
export interface ItemDraft {
  readonly changes: Changes;
  /** The JSON as it was typed, where the changes do not say all of it: it has a mistake, or another order of attributes. */
  readonly text?: string | undefined;
}

/** What a typed JSON makes of an item. One with a mistake changes nothing yet: what was changed before it stays. */
export function readDraft(row: Row, text: string, before: Changes): ItemDraft {
  if (itemProblem(text, row.key) !== undefined) return { changes: before, text };
  const typed = readRow(compact(text));
  const names = new Set([...row.attributes.keys(), ...typed.attributes.keys()]);
  const changes = new Map(
    Array.from(names, (name): [string, string | undefined] => [name, typed.attributes.get(name)]).filter(
      ([name, json]) => json !== row.attributes.get(name),
    ),
  );
  return applyChanges(row, changes).text === typed.text ? { changes } : { changes, text };
}

/** A draft in which one attribute has another value; undefined removes it. Its JSON must have no mistake. */
export function withValue(row: Row, draft: ItemDraft, name: string, json: string | undefined): ItemDraft {
  if (draft.text !== undefined) {
    const changed = applyChanges(draftRow(row, draft), new Map([[name, json]]));
    return readDraft(row, indent(changed.text), draft.changes);
  }
  const changes = new Map(draft.changes);
  if (json === row.attributes.get(name)) changes.delete(name);
  else changes.set(name, json);
  return { changes };
}

/** The item as a draft without a mistake has it. */
export function draftRow(row: Row, { changes, text }: ItemDraft): Row {
  return text === undefined ? applyChanges(row, changes) : readRow(compact(text));
}

/** The changes of a draft as they are counted: another order alone is one, and so is a mistake. */
export function sizeOfDraft({ changes, text }: ItemDraft): number {
  return Math.max(changes.size, text === undefined ? 0 : 1);
}

/** The mistake in the JSON of a draft, or undefined. */
export function draftProblem(key: string, draft: ItemDraft | undefined): string | undefined {
  return draft?.text === undefined ? undefined : itemProblem(draft.text, key);
}

/** Why a text is no JSON object, or undefined. */
export function objectProblem(text: string): string | undefined {
  return jsonProblem(text) ?? (kindOf(text.trim()) === 'object' ? undefined : 'An item is an object: {…}');
}

/** What is wrong with the text of an item, or undefined. */
function itemProblem(text: string, key: string): string | undefined {
  const problem = objectProblem(text);
  if (problem !== undefined) return problem;
  return readRow(compact(text)).key === key
    ? undefined
    : 'The key cannot be changed. Duplicate the item instead.';
}
