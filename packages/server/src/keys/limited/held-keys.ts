import { limitedGrant } from '../../access/grant.js';
import type { AcceptedKey } from '../check/accepted-keys.js';
import type { KeyRow } from '../key-row.js';

/** A limited key in memory, with the row that it was read from. */
export interface HeldKey extends AcceptedKey {
  row: KeyRow;
}

/** Half of what the keys that were used last may take. */
const generationBytes = 8 * 1024 * 1024;
/** What a key takes in memory besides its row, and how much more than its text a row takes. */
const keyBytes = 700;
const timesText = 3;
/** Of keys that are not in memory any more. A rate takes some 150 bytes. */
const maxRates = 100_000;

/**
 * The limited keys that were used last, in two generations: when the young one is full, it becomes the old one, whose keys
 * are let go unless they were used in the meantime. What a request in progress still has is found here as long as it lives, so
 * that it learns of the end of its key. A class, because its maps change together.
 */
export class HeldKeys {
  private young = new Map<string, HeldKey>();
  private old = new Map<string, HeldKey>();
  private youngBytes = 0;
  private readonly letGo = new Map<string, WeakRef<HeldKey>>();
  /** A request in progress has the grant of its key: as long as it lives, the key does. */
  private readonly ofGrants = new WeakMap<HeldKey['grant'], HeldKey>();
  private readonly collected = new FinalizationRegistry((id: string) => {
    if (this.letGo.get(id)?.deref() === undefined) this.letGo.delete(id);
  });
  /** Those rates of keys let go that are not whole again. */
  private readonly rates = new Map<string, NonNullable<HeldKey['grant']['rate']>>();

  constructor(
    private readonly options: {
      /** Called with each key that is let go. */
      readonly onLetGo: (key: HeldKey) => void;
      readonly bytes?: number | undefined;
    },
  ) {}

  get(id: string): HeldKey | undefined {
    const young = this.young.get(id);
    if (young !== undefined) return young;
    const key = this.old.get(id) ?? this.letGo.get(id)?.deref();
    if (key !== undefined) this.hold(id, key);
    return key;
  }

  /** Holds the key of a row. */
  add(id: string, row: KeyRow): HeldKey | undefined {
    const { limited, project } = row;
    if (limited === undefined) return undefined;
    const grant = limitedGrant(id, project, limited);
    const rate = this.rates.get(id) ?? grant.rate;
    this.rates.delete(id);
    const key = { grant: { ...grant, rate }, sha256: limited.sha256, lastUsedMs: 0, row };
    this.ofGrants.set(key.grant, key);
    this.hold(id, key);
    return key;
  }

  /** Ends a key: requests that have it learn of it. Gives whether it was here. */
  end(id: string): boolean {
    const key = this.get(id);
    if (key === undefined) return false;
    key.grant.isDeleted = true;
    for (const keys of [this.young, this.old, this.letGo]) keys.delete(id);
    return true;
  }

  /** All that live. */
  *all(): Generator<readonly [id: string, key: HeldKey]> {
    yield* this.young;
    for (const entry of this.old) if (!this.young.has(entry[0])) yield entry;
    for (const [id, reference] of this.letGo) {
      const key = reference.deref();
      if (key !== undefined) yield [id, key];
    }
  }

  private hold(id: string, key: HeldKey): void {
    const { bytes = generationBytes } = this.options;
    this.letGo.delete(id);
    this.young.set(id, key);
    this.youngBytes += keyBytes + timesText * JSON.stringify(key.row).length;
    if (this.youngBytes <= bytes) return;
    const before = this.old;
    this.old = this.young;
    this.young = new Map();
    this.youngBytes = 0;
    for (const [oldId, oldKey] of before) if (!this.old.has(oldId)) this.release(oldId, oldKey);
  }

  private release(id: string, key: HeldKey): void {
    this.options.onLetGo(key);
    this.letGo.set(id, new WeakRef(key));
    this.collected.register(key, id);
    const { rate } = key.grant;
    if (rate === undefined || rate.isWhole(performance.now())) return;
    this.rates.set(id, rate);
    for (const [oldest] of this.rates) {
      if (this.rates.size <= maxRates) break;
      this.rates.delete(oldest);
    }
  }
}
