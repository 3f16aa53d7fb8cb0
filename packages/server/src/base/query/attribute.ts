import { beginsNumber, comma, listEnd, listStart, quote } from '../../json/characters.js';
import { JsonNumber, type JsonValue } from '../../json/value.js';
import type { Steps } from '../../lib/concurrency/time-slices.js';
import { skipValue } from '../items/path-tree.js';
import { foldCase } from './case-folding.js';
import { isEqualAt } from './equal.js';

/** After this many searches in one list, its elements are put into a set. */
const searchesWithoutSet = 8;
/** How many elements of a list are compared deeply in one step. */
const elementsPerStep = 512;
/** The results of a search that is over. */
const found = -1;
const notFound = -2;

/**
 * A value within the text of a stored item. What a condition needs of the value is computed at its first use and kept
 * for later conditions: a query may have a thousand conditions on one attribute.
 */
export class Attribute {
  private decoded: string | undefined;
  private folded: string | undefined;
  private readFloat: number | undefined;
  private searches = 0;
  private elements: Set<string> | undefined;

  constructor(
    readonly json: string,
    readonly start: number,
  ) {}

  get isList(): boolean {
    return this.json.charCodeAt(this.start) === listStart;
  }

  /** The string, or undefined if the value is not a string. */
  get text(): string | undefined {
    if (this.decoded !== undefined) return this.decoded;
    if (this.json.charCodeAt(this.start) !== quote) return undefined;
    const end = skipValue(this.json, this.start);
    const written = this.json.slice(this.start + 1, end - 1);
    this.decoded = written.includes('\\')
      ? (JSON.parse(this.json.slice(this.start, end)) as string)
      : written;
    return this.decoded;
  }

  /** The case folding of the string, or undefined if the value is not a string. */
  get foldedText(): string | undefined {
    const { text } = this;
    if (text !== undefined) this.folded ??= foldCase(text);
    return this.folded;
  }

  /** The number, or undefined if the value is not a number. */
  get number(): JsonNumber | undefined {
    return beginsNumber(this.json.charCodeAt(this.start)) ? numberAt(this.json, this.start) : undefined;
  }

  /** The float nearest to the number, or NaN if the value is not a number. Most comparisons need no more. */
  get float(): number {
    this.readFloat ??= Number(this.number?.text ?? Number.NaN);
    return this.readFloat;
  }

  /** Whether the value is a list with an element that is deeply equal to the operand. A long list is searched in steps. */
  hasElementEqualTo(operand: JsonValue): boolean | Steps<boolean> {
    const first = this.start + 1;
    if (this.json.charCodeAt(first) === listEnd) return false;
    const next = this.searchEqual(operand, first);
    return next < 0 ? next === found : this.searchOn(operand, next);
  }

  private *searchOn(operand: JsonValue, from: number): Steps<boolean> {
    let next = from;
    while (next >= 0) {
      yield;
      next = this.searchEqual(operand, next);
    }
    return next === found;
  }

  /** Compares the elements of one step. Gives where the next one begins, `found` or `notFound`. */
  private searchEqual(operand: JsonValue, from: number): number {
    let at = from;
    for (let compared = 0; compared < elementsPerStep; compared++) {
      if (isEqualAt(this.json, at, operand)) return found;
      const end = skipValue(this.json, at);
      if (this.json.charCodeAt(end) !== comma) return notFound;
      at = end + 1;
    }
    return at;
  }

  /** Whether the value is a list with an element of this canonical JSON. */
  hasElement(written: string): boolean {
    if (this.elements !== undefined) return this.elements.has(written);
    const collected = ++this.searches > searchesWithoutSet ? new Set<string>() : undefined;
    const isFound = this.search(written, collected);
    this.elements = collected;
    return isFound;
  }

  /** Searches the list. With `collected`, all strings among the elements are added to it. */
  private search(written: string, collected: Set<string> | undefined): boolean {
    let isFound = false;
    let at = this.start + 1;
    if (this.json.charCodeAt(at) === listEnd) return false;
    for (;;) {
      const end = skipValue(this.json, at);
      if (end - at === written.length && this.json.startsWith(written, at)) {
        if (collected === undefined) return true;
        isFound = true;
      }
      if (collected !== undefined && this.json.charCodeAt(at) === quote) {
        collected.add(this.json.slice(at, end));
      }
      if (this.json.charCodeAt(end) !== comma) return isFound;
      at = end + 1;
    }
  }
}

/** The number that begins there. */
export function numberAt(json: string, start: number): JsonNumber {
  return new JsonNumber(json.slice(start, skipValue(json, start)));
}
