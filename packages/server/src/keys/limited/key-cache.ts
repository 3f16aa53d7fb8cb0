import { limitedGrant } from '../../access/grant.js';
import type { AcceptedKey } from '../check/accepted-keys.js';
import type { KeyRow } from '../key-row.js';

/** A limited key in memory, with the row that it was read from. */
export interface CachedKey extends AcceptedKey {
  row: KeyRow;
}

/** How many bytes each of the two generations may take. */
const generationBytes = 8 * 1024 * 1024;
/** How many bytes a key takes in memory besides its row, and how many times the bytes of its text a row takes. */
const keyBytes = 700;
const timesText = 3;
/** The most rates of evicted keys. A rate takes some 150 bytes. */
const maxRates = 100_000;

/**
 * The limited keys that were used last, in two generations. When the young one is full, it becomes the old one. The keys of
 * the old one that were not used since are evicted. A key that a request in progress still has is found here even then, so
 * that the request learns of the end of its key. A class, because its maps change together.
 */
export class KeyCache {
  private young = new Map<string, CachedKey>();
  private old = new Map<string, CachedKey>();
  private youngBytes = 0;
  private readonly evicted = new Map<string, WeakRef<CachedKey>>();
  /** A request in progress has the grant of its key: as long as it lives, the key does. */
  private readonly ofGrants = new WeakMap<CachedKey['grant'], CachedKey>();
  private readonly collected = new FinalizationRegistry((id: string) => {
    if (this.evicted.get(id)?.deref() === undefined) this.evicted.delete(id);
  });
  /** The rates of evicted keys, until they are whole again. */
  private readonly rates = new Map<string, NonNullable<CachedKey['grant']['rate']>>();

  constructor(
    private readonly options: {
      /** Called with each key that is evicted. */
      readonly onEvicted: (key: CachedKey) => void;
      readonly bytes?: number | undefined;
    },
  ) {}

  get(id: string): CachedKey | undefined {
    const young = this.young.get(id);
    if (young !== undefined) return young;
    const key = this.old.get(id) ?? this.evicted.get(id)?.deref();
    if (key !== undefined) this.touch(id, key);
    return key;
  }

  /** Adds the key of a row. */
  add(id: string, row: KeyRow): CachedKey | undefined {
    const { limited, project } = row;
    if (limited === undefined) return undefined;
    const grant = limitedGrant(id, project, limited);
    const rate = this.rates.get(id) ?? grant.rate;
    this.rates.delete(id);
    const key = { grant: { ...grant, rate }, sha256: limited.sha256, lastUsedMs: 0, row };
    this.ofGrants.set(key.grant, key);
    this.touch(id, key);
    return key;
  }

  /** Ends a key: requests that have it learn of it. Gives whether it was here. */
  end(id: string): boolean {
    const key = this.get(id);
    if (key === undefined) return false;
    key.grant.isDeleted = true;
    for (const keys of [this.young, this.old, this.evicted]) keys.delete(id);
    return true;
  }

  /** All keys that are in memory, also evicted ones. */
  *all(): Generator<readonly [id: string, key: CachedKey]> {
    yield* this.young;
    for (const entry of this.old) if (!this.young.has(entry[0])) yield entry;
    for (const [id, reference] of this.evicted) {
      const key = reference.deref();
      if (key !== undefined) yield [id, key];
    }
  }

  private touch(id: string, key: CachedKey): void {
    const { bytes = generationBytes } = this.options;
    this.evicted.delete(id);
    this.young.set(id, key);
    this.youngBytes += keyBytes + timesText * JSON.stringify(key.row).length;
    if (this.youngBytes <= bytes) return;
    const before = this.old;
    this.old = this.young;
    this.young = new Map();
    this.youngBytes = 0;
    for (const [oldId, oldKey] of before) if (!this.old.has(oldId)) this.evict(oldId, oldKey);
  }

  private evict(id: string, key: CachedKey): void {
    this.options.onEvicted(key);
    this.evicted.set(id, new WeakRef(key));
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
