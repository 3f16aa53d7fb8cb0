import type { Steps } from '../../lib/concurrency/time-slices.js';
import { badField, type RequestError } from '../../request-error.js';
import { maxGroups } from '../limits.js';
import { canonicalText, owned } from './canonical-value.js';
import { type AggregateKind, type Cell, cells } from './cells.js';
import { spanOf, type TimeUnit } from './time-units.js';

/** By what items are grouped: the value of an attribute, or the span of time that it is in. */
export interface GroupColumn {
  /** The number of the path in `fields`. */
  readonly field: number;
  readonly unit: TimeUnit | undefined;
}

export interface Aggregate {
  readonly name: string;
  readonly kind: AggregateKind;
  /** The number of the path in `fields`; undefined for a count. */
  readonly field: number | undefined;
}

/** What is computed of the items that match (docs/http.md#aggregates). */
export interface Aggregation {
  /** The attribute paths that are read of each item, none of them twice. */
  readonly fields: readonly string[];
  /** Without any, all items are one group. */
  readonly columns: readonly GroupColumn[];
  readonly aggregates: readonly Aggregate[];
}

/** The JSON of the values of an item at the fields; undefined where it has none. */
export type FieldTexts = readonly (string | undefined)[];

/** Items with equal values, and what was computed of them. */
export interface Group {
  /** What only this group has. */
  readonly id: string;
  /** The JSON of its values in the order of the columns; empty where the items have none. */
  readonly values: readonly string[];
  readonly cells: readonly Cell[];
}

/** About how many bytes a group takes, without its values and aggregates. */
const groupBytes = 192;
const rowsPerStep = 32;
/** So many characters of values take about a millisecond. */
const charactersPerStep = 64 * 1024;
const separator = '\0';

/** Puts items into groups. Its memory is what the groups need, however many items there are. */
export class Groups {
  private readonly groups = new Map<string, Group>();
  private bytes = 0;
  private rows = 0;
  private characters = 0;

  constructor(
    private readonly aggregation: Aggregation,
    private readonly maxBytes: number,
  ) {
    // All items are one group, even if there are none.
    if (aggregation.columns.length === 0) this.groupOf([]);
  }

  get all(): ReadonlyMap<string, Group> {
    return this.groups;
  }

  /** Adds a batch. Throws a 400 `RequestError` if there are too many groups, or if they are too large. */
  *add<Row>(batch: readonly Row[], textsOf: (row: Row) => FieldTexts): Steps<void> {
    for (const row of batch) {
      const before = this.bytes;
      this.addItem(textsOf(row));
      if (this.bytes > this.maxBytes) throw tooLarge();
      if (this.bytes > before) yield this.bytes - before;
      else if (++this.rows % rowsPerStep === 0 || this.characters > charactersPerStep) {
        this.characters = 0;
        yield;
      }
    }
  }

  private addItem(texts: FieldTexts): void {
    const group = this.groupOf(texts);
    for (const [n, { field }] of this.aggregation.aggregates.entries()) {
      const text = field === undefined ? undefined : texts[field];
      this.characters += text?.length ?? 0;
      this.bytes += group.cells[n]?.add(text) ?? 0;
    }
  }

  private groupOf(texts: FieldTexts): Group {
    const { columns } = this.aggregation;
    const values = columns.map((column) => this.valueOf(texts[column.field], column));
    const [only = ''] = values;
    const id = values.length < 2 ? only : values.join(separator);
    return this.groups.get(id) ?? this.make(id, values);
  }

  private valueOf(text: string | undefined, { unit }: GroupColumn): string {
    if (text === undefined) return '';
    this.characters += text.length;
    if (unit === undefined) return canonicalText(text);
    const span = spanOf(text, unit);
    return span === undefined ? '' : `"${span}"`;
  }

  private make(id: string, values: readonly string[]): Group {
    if (this.groups.size === maxGroups) throw tooMany();
    const { aggregates } = this.aggregation;
    const group: Group = {
      id: owned(id),
      values: values.map(owned),
      cells: aggregates.map(({ kind }) => cells[kind].make()),
    };
    this.bytes += groupBytes + 2 * id.length;
    for (const { kind } of aggregates) this.bytes += cells[kind].bytes;
    this.groups.set(group.id, group);
    return group;
  }
}

function tooMany(): RequestError {
  return badField('group', 'too_many', `makes more than ${maxGroups} groups: narrow query or group`);
}

function tooLarge(): RequestError {
  const rule = 'the groups and their values have too many bytes together: narrow query or group';
  return badField('aggregates', 'too_large', rule);
}
