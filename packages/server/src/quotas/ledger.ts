import type { ItemStore } from '../engines/item-store.js';
import { quotaExceeded } from '../request-error.js';

/** What a project may store (docs/http.md#set-quota). What is absent is not limited. Stored: never rename a member. */
export interface Quota {
  readonly items?: number | undefined;
  readonly itemBytes?: number | undefined;
  readonly files?: number | undefined;
  readonly fileBytes?: number | undefined;
}

/** What a project may store, and how many requests it may send. What is absent is not limited. */
export interface ProjectQuota extends Quota {
  /** Over all keys of the project. */
  readonly requestsPerSecond?: number | undefined;
}

/** Whether a quota limits what is stored. */
export function limitsStored(quota: Quota): boolean {
  return kinds.some((kind) => quota[kind] !== undefined);
}

/** What a project stores, or what a change adds to it. */
export interface Stored {
  readonly items: number;
  readonly itemBytes: number;
  /** With the markers of folders. */
  readonly files: number;
  /** Of files, those in the trash, the parts of open uploads, and markers. */
  readonly fileBytes: number;
}

export const kinds = ['items', 'itemBytes', 'files', 'fileBytes'] as const;
export type Kind = (typeof kinds)[number];
/** The members of a quota, as requests, answers and settings name them. */
export const quotaNames = {
  items: 'items',
  itemBytes: 'item_bytes',
  files: 'files',
  fileBytes: 'file_bytes',
  requestsPerSecond: 'requests_per_second',
} as const satisfies Readonly<Record<keyof ProjectQuota, string>>;
/** The quotas of what is stored. */
export type QuotaName = (typeof quotaNames)[Kind];
export const nothingStored: Stored = { items: 0, itemBytes: 0, files: 0, fileBytes: 0 };

/** Room for bytes that are on their way. */
export interface Reservation {
  readonly bytes: number;
  /** Reserves more. Throws a 507 `RequestError` if there is no room. It gives a promise if it must read what is stored. */
  grow(bytes: number): void | Promise<void>;
  /** Gives back what no transaction has taken over. */
  end(): void;
}

/** A transaction, which may be decided several times. */
export interface LedgerWrite {
  /** Forgets what was decided before. */
  again(): void;
  /** Throws a 507 `RequestError` if there is no room for what the change adds. It takes over the reserved bytes. */
  decide(added: Partial<Stored>): void;
  /** Runs the transaction; absent where that of the item store does. */
  readonly transact?: ItemStore['transact'];
}

/** What a project with a quota stores, and may still store. */
export interface Ledger {
  /** Runs a transaction, with bytes that were reserved for it. */
  write<T>(work: (write: LedgerWrite) => Promise<T>, reservation?: Reservation): Promise<T>;
  /** Reserves room for bytes of files before they are read. Throws a 507 `RequestError` if there is none. */
  reserve(bytes: number): Promise<Reservation>;
  /** The quotas of which so large a share is taken, from 0 to 1; none while that is not known. */
  near(share: number): readonly QuotaName[];
}

/**
 * What a project with a quota stores, in the memory of the process that owns the rows. Each transaction is counted when it is
 * decided, so no two of them take the same room. A class, because every change depends on all others.
 */
export class OwnLedger implements Ledger {
  /** What is on stable storage, what is being written, and what is reserved. */
  private used: Stored = nothingStored;
  private written: Stored = nothingStored;
  private reserved = 0;
  private opening: Promise<void> | undefined;

  /** `onRefused` is told what was refused by which quota. */
  constructor(
    private readonly quotaNow: () => Quota,
    measure: () => Promise<Stored>,
    private readonly onRefused: (quota: QuotaName) => void = () => {},
  ) {
    this.opening = measure().then((stored) => {
      this.used = stored;
      this.opening = undefined;
    });
    // Whoever waits for it is told.
    this.opening.catch(() => {});
  }

  async write<T>(work: (write: LedgerWrite) => Promise<T>, reservation?: Reservation): Promise<T> {
    await this.opening;
    let added = nothingStored;
    let taken = 0;
    const again = () => {
      this.written = sumOf(this.written, added, -1);
      this.reserved += taken;
      added = nothingStored;
      taken = 0;
    };
    const write: LedgerWrite = {
      again,
      decide: (given) => {
        again();
        const asked = { ...nothingStored, ...given };
        this.requireRoom(asked, reservation?.bytes);
        added = asked;
        taken = reservation?.bytes ?? 0;
        this.reserved -= taken;
        this.written = sumOf(this.written, added);
      },
    };
    try {
      const result = await work(write);
      this.used = sumOf(this.used, added);
      // The reserved bytes are stored now.
      taken = 0;
      if (reservation !== undefined && added !== nothingStored) (reservation as OpenReservation).bytes = 0;
      return result;
    } finally {
      this.written = sumOf(this.written, added, -1);
      this.reserved += taken;
    }
  }

  async reserve(bytes: number): Promise<Reservation> {
    await this.opening;
    return await openReservation(bytes, this.count, (more, take) => {
      this.requireRoom({ ...nothingStored, fileBytes: more });
      take();
    });
  }

  private readonly count = (bytes: number): void => {
    this.reserved += bytes;
  };

  near(share: number): readonly QuotaName[] {
    return this.opening === undefined ? nearQuotas(this.quotaNow(), this.used, share) : [];
  }

  private requireRoom(added: Stored, own = 0): void {
    const quota = this.quotaNow();
    for (const kind of kinds) {
      const most = quota[kind];
      if (most === undefined || added[kind] <= 0) continue;
      const others = kind === 'fileBytes' ? this.reserved - own : 0;
      if (this.used[kind] + this.written[kind] + others + added[kind] <= most) continue;
      this.onRefused(quotaNames[kind]);
      throw quotaExceeded(quotaNames[kind], most);
    }
  }
}

export interface OpenReservation extends Reservation {
  bytes: number;
}

/**
 * Reserves room. `grow` looks for room for more bytes, throws if there is none, and calls `take` in the same step in which it
 * has found it. `count` is told what is reserved, and given back.
 */
export async function openReservation(
  bytes: number,
  count: (bytes: number) => void,
  grow: (more: number, take: () => void) => void | Promise<void>,
): Promise<Reservation> {
  const add = (more: number) => {
    reservation.bytes += more;
    count(more);
  };
  const reservation: OpenReservation = {
    bytes: 0,
    grow: (more) => (more > 0 ? grow(more, () => add(more)) : undefined),
    end: () => add(-reservation.bytes),
  };
  await reservation.grow(bytes);
  return reservation;
}

/** The quotas of which this share is taken. */
export function nearQuotas(quota: Quota, used: Stored, share: number): readonly QuotaName[] {
  const isNear = (kind: Kind) => quota[kind] !== undefined && used[kind] >= share * quota[kind];
  return kinds.filter(isNear).map((kind) => quotaNames[kind]);
}

export function sumOf(a: Stored, b: Stored, sign = 1): Stored {
  return {
    items: a.items + sign * b.items,
    itemBytes: a.itemBytes + sign * b.itemBytes,
    files: a.files + sign * b.files,
    fileBytes: a.fileBytes + sign * b.fileBytes,
  };
}
