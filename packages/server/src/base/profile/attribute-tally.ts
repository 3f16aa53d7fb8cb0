import { compareNumbers } from '../../json/number.js';
import { JsonNumber } from '../../json/value.js';
import { owned } from '../../lib/text/owned.js';
import { compareUtf8 } from '../../lib/text/utf8-order.js';

/** Of an attribute, up to this many different values are counted. */
const maxValues = 200;
/** A longer value is not counted by itself: nobody filters by it. */
const maxValueCharacters = 100;
const shownValues = 10;

export type AttributeType = 'number' | 'string' | 'boolean' | 'null' | 'list' | 'object';

interface Range {
  /** JSON texts. */
  min: string;
  max: string;
}

/** What is known of the values at one path. Values are JSON texts, so that numbers keep their digits. */
export class AttributeTally {
  items = 0;
  readonly types: Partial<Record<AttributeType, number>> = {};
  private numbers: Range | undefined;
  private strings: Range | undefined;
  private readonly values = new Map<string, number>();
  /** Whether each value so far was counted. */
  private hasAll = true;

  constructor(readonly path: string) {}

  /** Adds the value of an item. */
  add(type: AttributeType, text: string): void {
    this.items++;
    this.types[type] = (this.types[type] ?? 0) + 1;
    if (type === 'list' || type === 'object') return;
    if (type === 'number') this.numbers = widened(this.numbers, text, compareNumberTexts);
    if (type === 'string') this.strings = widened(this.strings, shortened(text), compareUtf8);
    const known = this.values.get(text);
    if (known !== undefined) this.values.set(text, known + 1);
    else if (this.values.size < maxValues && text.length <= maxValueCharacters)
      this.values.set(owned(text), 1);
    else this.hasAll = false;
  }

  /** The JSON of its description (docs/http.md#profile). */
  json(): string {
    const { items, types, numbers, strings } = this;
    // Values that are all different are no frequent ones.
    const frequent = [...this.values]
      .filter(([, count]) => count > 1 || (this.hasAll && this.values.size <= shownValues))
      .toSorted(([, a], [, b]) => b - a)
      .slice(0, shownValues);
    const values = frequent.map(([value, count]) => `{"value":${value},"items":${count}}`);
    const isCounted = this.hasAll && types.list === undefined && types.object === undefined;
    return (
      `{"path":${JSON.stringify(this.path)},"items":${items},"types":${JSON.stringify(types)}` +
      `${rangeJson('numbers', numbers)}${rangeJson('strings', strings)}` +
      `${isCounted ? `,"distinct":${this.values.size}` : ''},"values":[${values}]}`
    );
  }
}

function rangeJson(name: string, range: Range | undefined): string {
  return range === undefined ? '' : `,"${name}":{"min":${range.min},"max":${range.max}}`;
}

function widened(
  range: Range | undefined,
  text: string,
  compare: (a: string, b: string) => number,
): Range | undefined {
  if (range === undefined) return { min: owned(text), max: owned(text) };
  if (compare(text, range.min) < 0) range.min = owned(text);
  else if (compare(text, range.max) > 0) range.max = owned(text);
  return range;
}

function compareNumberTexts(a: string, b: string): number {
  return Number(a) - Number(b) || compareNumbers(new JsonNumber(a), new JsonNumber(b));
}

/** The JSON of the beginning of a string. */
function shortened(json: string): string {
  if (json.length <= maxValueCharacters) return json;
  const start = (JSON.parse(json) as string).slice(0, maxValueCharacters).toWellFormed();
  return JSON.stringify(start);
}
