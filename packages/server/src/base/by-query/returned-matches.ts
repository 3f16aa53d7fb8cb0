import type { Hold } from '../../http/memory/buffer-budget.js';
import type { Item } from '../items/item.js';
import { maxReturnedBytes } from '../limits.js';
import { createByteList, type FinishedList } from '../pages/item-list.js';
import type { Returned } from '../updates/returned.js';

/** The items that an operation by query gives back (docs/http.md#claims). Their bytes are counted. */
export class ReturnedMatches {
  private readonly items: Buffer[] = [];
  private bytes = 0;

  constructor(
    private readonly returns: Returned,
    private readonly hold: Hold,
  ) {}

  /** Whether there are so many bytes that the operation ends before its limit. */
  get isFull(): boolean {
    return this.bytes >= maxReturnedBytes;
  }

  get list(): FinishedList {
    return createByteList(this.items);
  }

  /** What is given back of an item that was replaced. */
  of(stored: Buffer, next: Item | 'deleted'): Buffer | undefined {
    if (this.returns === 'old') return stored;
    return next === 'deleted' ? undefined : next.json;
  }

  add(item: Buffer): void {
    this.items.push(item);
    this.bytes += item.length;
    this.hold.resize(this.bytes);
  }

  /** Counts the bytes no longer: those of the answer are counted by others. */
  free(): void {
    this.hold.release();
  }
}

/** The JSON of an answer that has a list of items besides. */
export function withItems(answer: object, items: FinishedList): Buffer | string {
  return items.finish(`${JSON.stringify(answer).slice(0, -1)},"items":[`, ']}');
}
