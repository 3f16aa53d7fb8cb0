import { type ReadonlySignal, signal } from '@preact/signals';
import type { Row } from '../view/row.js';
import { draftProblem, type ItemDraft, readDraft, sizeOfDraft, withValue } from './item-draft.js';
import { applyChanges } from './item-text.js';
import { createSteps } from './steps.js';

/** An item with changes that are not saved. */
export interface StagedItem extends ItemDraft {
  /** The item as it was when the first change was made: the service compares it with what is stored. */
  readonly row: Row;
  /** The item as somebody else has stored it in the meantime; `row` undefined if it was deleted. */
  readonly conflict?: { readonly row: Row | undefined };
}

/** The JSON of an item with its staged changes, if there are any, on one line. */
export function changedText(row: Row, item: StagedItem | undefined): string {
  return item === undefined ? row.text : applyChanges(item.row, item.changes).text;
}

export type Items = ReadonlyMap<string, StagedItem>;

/** A value that a cell gets; undefined removes it. */
export interface CellChange {
  readonly row: Row;
  readonly name: string;
  readonly json: string | undefined;
}

/** Changes that are marked and not saved, by the keys of their items. */
export interface Staged {
  readonly items: ReadonlySignal<Items>;
  /** The number of changed attributes. */
  readonly count: ReadonlySignal<number>;
  /**
   * Stages a value, undefined to remove the attribute. The value that it had unmarks it. What is typed in one go
   * (`isTyping`) is one step.
   */
  set(row: Row, name: string, json: string | undefined, options?: { readonly isTyping: boolean }): void;
  /** Stages values of any number of cells as one step. Items whose JSON has a mistake stay as they are: gives their number. */
  setAll(changes: readonly CellChange[]): number;
  /** Stages the whole item as JSON that is typed, one step in one go. It may have a mistake: then it is corrected first. */
  setText(row: Row, text: string): void;
  /** The staged value of an attribute: undefined inside means removed, no object means unchanged. */
  get(key: string, name: string): { readonly json: string | undefined } | undefined;
  /** Takes back the last step: a change that is staged, or else the last save. */
  undo(): void;
  /** Notes how a save is taken back. It gives false if that is done already. */
  saved(takeBack: () => boolean): void;
  /**
   * Notes that changes are saved. `sent` is what was staged when the save began, without what is saved already; `saved` has
   * items of it as they are stored now. What was staged in the meantime stays, and is one step that can be taken back.
   */
  wereSaved(sent: Items, saved: ReadonlyMap<string, Row>): void;
  discard(keys?: readonly string[]): void;
  /** Stages again what was discarded, except items that were changed since. */
  restore(discarded: Items): void;
  /** Notes what is stored in place of an item that was changed by somebody else. */
  conflict(key: string, row: Row | undefined): void;
  /** Keeps the changes of an item, over what somebody else has stored. */
  keepMine(key: string): void;
}

/** Begins with these items. */
export function createStaged(start: Items = new Map()): Staged {
  const items = signal<Items>(start);
  const count = signal(countChanges(start));
  const steps = createSteps<Items>();

  function replace(next: Items): void {
    items.value = next;
    count.value = countChanges(next);
  }

  /** Changes one item, as a step that can be taken back. `typed` is what is being typed in. */
  function step(key: string, item: StagedItem, typed?: string): void {
    steps.begin(items.peek(), typed);
    const next = new Map(items.peek());
    if (sizeOfDraft(item) === 0) next.delete(key);
    else next.set(key, item);
    replace(next);
  }

  const presentOf = (row: Row): StagedItem => items.peek().get(row.key) ?? { row, changes: new Map() };
  return {
    items,
    count,
    saved: steps.saved,
    set(row, name, json, { isTyping = false } = { isTyping: false }) {
      const present = presentOf(row);
      // The text that has the mistake would be lost: whoever changes a value opens it instead.
      if (draftProblem(row.key, present) !== undefined) return;
      const item = { ...without(present), ...withValue(present.row, present, name, json) };
      step(row.key, item, isTyping ? JSON.stringify([row.key, name]) : undefined);
    },
    setAll(changes) {
      const { next, mistaken } = withChanges(items.peek(), changes);
      if (changes.some(({ row }) => !mistaken.has(row.key))) {
        steps.begin(items.peek());
        replace(next);
      }
      return mistaken.size;
    },
    setText(row, text) {
      const present = presentOf(row);
      const item = { ...without(present), ...readDraft(present.row, text, present.changes) };
      step(row.key, item, JSON.stringify([row.key]));
    },
    get(key, name) {
      const changes = items.value.get(key)?.changes;
      return changes?.has(name) ? { json: changes.get(name) } : undefined;
    },
    undo() {
      const before = steps.back();
      if (before !== undefined) replace(before);
    },
    wereSaved(sent, saved) {
      const { next, waiting } = afterSave(items.peek(), sent, saved);
      steps.forget(areSame(next, waiting) ? undefined : waiting);
      replace(next);
    },
    discard(keys) {
      const next = new Map(keys === undefined ? [] : items.peek());
      for (const key of keys ?? []) next.delete(key);
      steps.forget();
      replace(next);
    },
    restore(discarded) {
      steps.begin(items.peek());
      replace(new Map([...discarded, ...items.peek()]));
    },
    conflict(key, row) {
      const present = items.peek().get(key);
      if (present !== undefined) replace(new Map(items.peek()).set(key, { ...present, conflict: { row } }));
    },
    keepMine(key) {
      const present = items.peek().get(key);
      const stored = present?.conflict?.row;
      if (present !== undefined && stored !== undefined) step(key, mineOver(stored, present));
    },
  };
}

/** What is staged after a save, and what of it was sent and is not saved. */
function afterSave(items: Items, sent: Items, saved: ReadonlyMap<string, Row>) {
  const next = new Map(items);
  const waiting = new Map(sent);
  for (const [key, after] of saved) {
    const left = draftLeft(next.get(key), sent.get(key), after);
    next.delete(key);
    waiting.delete(key);
    if (sizeOfDraft(left) > 0) next.set(key, { row: after, ...left });
  }
  return { next, waiting };
}

/** The changes of an item, over what somebody else has stored. */
function mineOver(stored: Row, { text, changes }: StagedItem): StagedItem {
  if (text !== undefined) return { row: stored, ...readDraft(stored, text, changes) };
  const left = Array.from(changes).filter(([name, json]) => json !== stored.attributes.get(name));
  return { row: stored, changes: new Map(left) };
}

const without = ({ text: _, ...rest }: StagedItem): StagedItem => rest;

/** Items with changes of cells, and the keys of those whose JSON has a mistake, which stay as they are. */
function withChanges(items: Items, changes: readonly CellChange[]) {
  const next = new Map(items);
  const mistaken = new Set<string>();
  for (const { row, name, json } of changes) {
    const present = next.get(row.key) ?? { row, changes: new Map() };
    if (draftProblem(row.key, present) !== undefined) mistaken.add(row.key);
    else next.set(row.key, { ...without(present), ...withValue(present.row, present, name, json) });
  }
  for (const [key, item] of next) if (sizeOfDraft(item) === 0) next.delete(key);
  return { next, mistaken };
}

/** What is staged over a saved item: the values that were given, or set back, while it was sent. */
function draftLeft(present: StagedItem | undefined, sent: StagedItem | undefined, after: Row): ItemDraft {
  // Nothing was changed in the meantime, or all was dropped: what is stored stays.
  if (present === undefined || present === sent) return { changes: new Map() };
  const names = new Set([...(sent?.changes.keys() ?? []), ...present.changes.keys()]);
  const wanted = Array.from(names, (name): [string, string | undefined] => [
    name,
    present.changes.has(name) ? present.changes.get(name) : present.row.attributes.get(name),
  ]);
  const changes = new Map(wanted.filter(([name, json]) => json !== after.attributes.get(name)));
  return present.text === undefined ? { changes } : readDraft(after, present.text, changes);
}

function areSame(one: Items, other: Items): boolean {
  return one.size === other.size && [...one].every(([key, item]) => other.get(key) === item);
}

function countChanges(items: Items): number {
  return Array.from(items.values()).reduce((sum, item) => sum + sizeOfDraft(item), 0);
}
