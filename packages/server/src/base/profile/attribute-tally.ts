import { compareNumbers, shortest } from '../../json/number.js';
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
  min: string;
  max: string;
}

interface CountedValue {
  /** Its JSON, as it came first. */
  readonly text: string;
  items: number;
}

/** What is known of the values at one path. Values are JSON texts, so that numbers keep their digits. */
export class AttributeTally {
  items = 0;
  readonly types: Partial<Record<AttributeType, number>> = {};
  /** JSON texts. */
  private numbers: Range | undefined;
  /** The strings themselves: their JSON has another order. */
  private strings: Range | undefined;
  /** By what is the same for equal values: `1` and `1.0` are equal. */
  private readonly values = new Map<string, CountedValue>();
  /** Whether each value so far was counted. */
  private hasAll = true;

  constructor(readonly path: string) {}

  /** Adds the value of an item. */
  add(type: AttributeType, text: string): void {
    this.items++;
    this.types[type] = (this.types[type] ?? 0) + 1;
    if (type === 'list' || type === 'object') return;
    if (type === 'number') this.numbers = widened(this.numbers, text, compareNumberTexts);
    if (type === 'string') this.strings = widened(this.strings, beginning(text), compareUtf8);
    const id = type === 'number' ? shortest(new JsonNumber(text)).text : text;
    const known = this.values.get(id);
    if (known !== undefined) known.items++;
    else if (this.values.size < maxValues && text.length <= maxValueCharacters)
      this.values.set(owned(id), { text: owned(text), items: 1 });
    else this.hasAll = false;
  }

  /** The JSON of its description (docs/http.md#profile). */
  json(): string {
    const { items, types, numbers, strings } = this;
    // Values that are all different are no frequent ones.
    const frequent = [...this.values.values()]
      .filter((one) => one.items > 1 || (this.hasAll && this.values.size <= shownValues))
      .toSorted((a, b) => b.items - a.items)
      .slice(0, shownValues);
    const values = frequent.map((one) => `{"value":${one.text},"items":${one.items}}`);
    const isCounted = this.hasAll && types.list === undefined && types.object === undefined;
    return (
      `{"path":${JSON.stringify(this.path)},"items":${items},"types":${JSON.stringify(types)}` +
      `${rangeJson('numbers', numbers, String)}${rangeJson('strings', strings, JSON.stringify)}` +
      `${isCounted ? `,"distinct":${this.values.size}` : ''},"values":[${values}]}`
    );
  }
}

function rangeJson(name: string, range: Range | undefined, jsonOf: (text: string) => string): string {
  return range === undefined ? '' : `,"${name}":{"min":${jsonOf(range.min)},"max":${jsonOf(range.max)}}`;
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

/** The first characters of a string that is given as JSON. No character is cut in two, which would change the order. */
function beginning(json: string): string {
  const text = json.includes('\\') ? (JSON.parse(json) as string) : json.slice(1, -1);
  if (text.length <= maxValueCharacters) return text;
  const isWhole = text.slice(0, maxValueCharacters).isWellFormed();
  return text.slice(0, isWhole ? maxValueCharacters : maxValueCharacters + 1);
}
