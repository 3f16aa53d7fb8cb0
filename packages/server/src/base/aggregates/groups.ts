import type { Steps } from '../../lib/concurrency/time-slices.js';
import { owned } from '../../lib/text/owned.js';
import { badField, type RequestError } from '../../request-error.js';
import { maxGroups } from '../limits.js';
import { type Accumulator, type AggregateKind, accumulators } from './accumulators.js';
import { canonicalContainer, canonicalScalar, isContainer } from './canonical-value.js';
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
  readonly accumulators: readonly Accumulator[];
}

/** About how many bytes a group takes, without its values and aggregates. */
const groupBytes = 192;
const rowsPerStep = 32;
/** This number of characters of values takes about a millisecond. */
const charactersPerStep = 64 * 1024;
const separator = '\0';

/** Puts items into groups. Its memory is what the groups need, however many items there are. */
export class Groups {
  private readonly groups = new Map<string, Group>();
  private bytes = 0;
  private rows = 0;
  private characters = 0;
  /** The fields whose values are compared with each other. */
  private readonly compared: readonly number[];

  constructor(
    private readonly aggregation: Aggregation,
    private readonly maxBytes: number,
  ) {
    // All items are one group, even if there are none.
    if (aggregation.columns.length === 0) this.groupOf([], []);
    const { columns, aggregates } = aggregation;
    const fields = [
      ...columns.filter(({ unit }) => unit === undefined).map(({ field }) => field),
      ...aggregates.filter(({ kind }) => accumulators[kind].isCompared).map(({ field }) => field as number),
    ];
    this.compared = [...new Set(fields)];
  }

  get all(): ReadonlyMap<string, Group> {
    return this.groups;
  }

  /** Adds a batch. Throws a 400 `RequestError` if there are too many groups, or if they are too large. */
  *add<Row>(batch: readonly Row[], textsOf: (row: Row) => FieldTexts): Steps<void> {
    let before = this.bytes;
    for (const row of batch) {
      const texts = textsOf(row);
      this.addItem(texts, yield* this.canonicalOf(texts));
      if (this.bytes > this.maxBytes) throw tooLarge();
      if (++this.rows % rowsPerStep !== 0 && this.characters <= charactersPerStep) continue;
      this.characters = 0;
      if (this.bytes > before) yield this.bytes - before;
      before = this.bytes;
      yield;
    }
    if (this.bytes > before) yield this.bytes - before;
  }

  /** The texts of values that are compared with each other: equal ones are the same. */
  private *canonicalOf(texts: FieldTexts): Steps<FieldTexts> {
    const canonical: (string | undefined)[] = [];
    for (const field of this.compared) {
      const text = texts[field];
      if (text === undefined) continue;
      this.characters += text.length;
      canonical[field] = isContainer(text) ? yield* canonicalContainer(text) : canonicalScalar(text);
    }
    return canonical;
  }

  private addItem(texts: FieldTexts, canonical: FieldTexts): void {
    const group = this.groupOf(texts, canonical);
    for (const [n, { field, kind }] of this.aggregation.aggregates.entries()) {
      const text =
        field === undefined ? undefined : (accumulators[kind].isCompared ? canonical : texts)[field];
      this.characters += text?.length ?? 0;
      this.bytes += group.accumulators[n]?.add(text) ?? 0;
    }
  }

  private groupOf(texts: FieldTexts, canonical: FieldTexts): Group {
    const { columns } = this.aggregation;
    const values = columns.map(
      ({ field, unit }) => (unit === undefined ? canonical[field] : spanIn(texts[field], unit)) ?? '',
    );
    const [only = ''] = values;
    const id = values.length < 2 ? only : values.join(separator);
    return this.groups.get(id) ?? this.make(id, values);
  }

  private make(id: string, values: readonly string[]): Group {
    if (this.groups.size === maxGroups)
      throw badField('group', 'too_many', `makes more than ${maxGroups} groups: narrow query or group`);
    const { aggregates } = this.aggregation;
    const group: Group = {
      id: owned(id),
      values: values.map(owned),
      accumulators: aggregates.map(({ kind }) => accumulators[kind].make()),
    };
    this.bytes += groupBytes + 2 * id.length;
    for (const { kind } of aggregates) this.bytes += accumulators[kind].bytes;
    this.groups.set(group.id, group);
    return group;
  }
}

function spanIn(text: string | undefined, unit: TimeUnit): string | undefined {
  const span = text === undefined ? undefined : spanOf(text, unit);
  return span && `"${span}"`;
}

function tooLarge(): RequestError {
  const rule = 'the groups and their values have too many bytes together: narrow query or group';
  return badField('aggregates', 'too_large', rule);
}
