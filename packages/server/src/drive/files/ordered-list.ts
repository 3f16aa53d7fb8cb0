import type { ItemStore } from '../../engines/item-store.js';
import { runInSlices, type Steps } from '../../lib/concurrency/time-slices.js';
import { untilAbandoned } from '../../request-error.js';
import { entryText } from './details.js';
import { type Entry, type EntryRange, entriesOf } from './entries.js';
import type { ListPage, ListQuery } from './list-names.js';
import {
  type ListOrder,
  listOrder,
  type OrderName,
  type Position,
  readPosition,
  writePosition,
} from './list-order.js';

/** A list in an order, or of some of the names (docs/http.md#ordered-lists). */
export interface OrderedListQuery extends ListQuery {
  /** Undefined: by name, and `last` is a name. */
  readonly order: OrderName | undefined;
  /** Only entries whose name contains this text after the prefix; empty for all. */
  readonly contains: string;
}

/** The most bytes of rows and names that a page keeps, however large its limit. */
const maxPageBytes = 1024 * 1024;
const rowsPerStep = 100;

/**
 * Reads a page of an ordered list. In the order of the names, it reads until the page is full; in another one, it reads
 * all rows, and keeps the best of them. Throws the 400 `RequestError` of a `last` of another order.
 */
export async function listOrdered(
  items: ItemStore,
  space: string,
  { order: by, contains, details = false, limit, ...range }: OrderedListQuery,
  isAbandoned: () => boolean,
): Promise<ListPage> {
  const room = untilAbandoned(isAbandoned);
  const order = listOrder(by ?? 'name');
  const after = range.last === '' || by === undefined ? undefined : readPosition(order, range.last);
  const entries: EntryRange = order.isByName
    ? { ...range, last: after?.name ?? range.last, descending: order.isDescending }
    : { ...range, last: '' };
  const page = new BestPage(order, limit, after);
  for await (const batch of entriesOf(items, space, entries)) {
    room.check();
    const isFull = await runInSlices(takeAll(batch), room);
    if (isFull) break;
  }
  const { kept, hasMore } = page.end();
  const last = kept.at(-1);
  return {
    names: kept.map(({ name }) => name),
    ...(details && { files: [Buffer.from(kept.map(({ name, row }) => entryText(name, row)).join(','))] }),
    more: hasMore,
    last: by === undefined || last === undefined ? undefined : writePosition(order, last),
  };

  /** Gives true when no later entry can be in the page. */
  function* takeAll(batch: readonly Entry[]): Steps<boolean> {
    for (const [index, entry] of batch.entries()) {
      if (index % rowsPerStep === rowsPerStep - 1) yield;
      if (!entry.name.includes(contains, range.prefix.length)) continue;
      if (page.take(entry) && order.isByName) return true;
    }
    return false;
  }
}

interface Candidate extends Position {
  readonly row: string | undefined;
}

/** The first entries of an order that come after a position, in bounded memory. */
class BestPage {
  private kept: Candidate[] = [];
  private bytes = 0;
  private hasMore = false;
  /** The last of the page, once there are entries after it, which are not kept. */
  private bound: Position | undefined;

  constructor(
    private readonly order: ListOrder,
    private readonly limit: number,
    private readonly after: Position | undefined,
  ) {}

  /** Takes an entry. Gives true if it, or one before it, is after the page. */
  take(entry: Entry): boolean {
    const { order, after, bound } = this;
    const { name, row } = entry;
    const position = order.positionOf(entry);
    if (after !== undefined && order.compare(position, after) <= 0) return false;
    if (bound !== undefined && order.compare(position, bound) > 0) return true;
    this.kept.push({ ...position, row });
    this.bytes += sizeOf(name, row);
    // In the order of the names, one entry more than the page has shows that more follow.
    const most = order.isByName ? this.limit : 2 * this.limit;
    if (this.kept.length > most || this.bytes > 2 * maxPageBytes) this.cut();
    return this.hasMore;
  }

  end(): { readonly kept: readonly Candidate[]; readonly hasMore: boolean } {
    this.cut();
    return { kept: this.kept, hasMore: this.hasMore };
  }

  private cut(): void {
    this.kept.sort((a, b) => this.order.compare(a, b));
    let count = 0;
    let bytes = 0;
    for (const { name, row } of this.kept.slice(0, this.limit)) {
      const more = bytes + sizeOf(name, row);
      if (count > 0 && more > maxPageBytes) break;
      bytes = more;
      count++;
    }
    this.hasMore ||= count < this.kept.length;
    this.kept.length = count;
    this.bytes = bytes;
    if (this.hasMore) this.bound = this.kept.at(-1);
  }
}

function sizeOf(name: string, row: string | undefined): number {
  return name.length + (row?.length ?? 0);
}
