import type { ItemStore } from '../engines/item-store.js';
import { quotaExceeded } from '../request-error.js';
import {
  type AccountHead,
  type AccountState,
  accountRows,
  readAccount,
  type SlotLocks,
  slotCount,
  slotKeys,
  slotRow,
} from './account-rows.js';
import type { Accounts } from './accounts.js';
import {
  kinds,
  type Ledger,
  type LedgerWrite,
  nearQuotas,
  nothingStored,
  type OpenReservation,
  openReservation,
  type Quota,
  type QuotaName,
  quotaNames,
  type Reservation,
  type Stored,
  sumOf,
} from './ledger.js';

/** For this long, what was read of the account is good enough to let bytes come, far from the quota. */
const freshMs = 1000;
/** An eighth of a quota is not given away by transactions that see a slot each. */
const margin = 1 / 8;

/** There may be room, but whoever has locked one slot cannot know. */
class LocksNeeded extends Error {}

class NotOpen extends Error {
  constructor(readonly head: AccountHead | undefined) {
    super('The account of the project is not open');
  }
}

export interface SharedLedgerOptions {
  readonly items: ItemStore;
  readonly project: string;
  readonly accounts: Accounts;
  readonly quotaNow: () => Quota;
  readonly onRefused: (quota: QuotaName) => void;
  /** Of this server, so that servers use different slots. */
  readonly salt: number;
}

/**
 * What a project with a quota stores, on rows that servers share: each transaction adds what it stores to a slot of the
 * project's account, in the same atomic step.
 *
 * Never more than the quota, whatever servers write at the same time. A transaction locks its slot, and then reads all of
 * them. So of the others that have not committed at that moment there is at most one for each other slot. If each of these
 * adds a share of the margin at most, `committed + margin <= quota` is enough: whichever of them reads last sees all the
 * others but those. Nearer to the quota a transaction locks all slots, so that it sees everything, and the project's writers
 * wait for each other.
 */
export class SharedLedger implements Ledger {
  private reserved = 0;
  private known: Stored | undefined;
  private knownMs = Number.NEGATIVE_INFINITY;
  private isNearUntilMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly options: SharedLedgerOptions) {}

  async write<T>(work: (write: LedgerWrite) => Promise<T>, reservation?: Reservation): Promise<T> {
    const { accounts, project } = this.options;
    for (;;) {
      try {
        return await this.attempt(performance.now() < this.isNearUntilMs ? 'all' : 'one', work, reservation);
      } catch (cause) {
        if (cause instanceof LocksNeeded) this.isNearUntilMs = performance.now() + freshMs;
        else if (cause instanceof NotOpen) await accounts.waitFor(project, cause.head);
        else throw cause;
      }
    }
  }

  private async attempt<T>(
    locks: SlotLocks,
    work: (write: LedgerWrite) => Promise<T>,
    reservation?: Reservation,
  ): Promise<T> {
    const { items, project, accounts } = this.options;
    let account: { readonly own: string; readonly state: AccountState } | undefined;
    let charged: Stored | undefined;
    let taken = 0;
    const again = () => {
      this.reserved += taken;
      taken = 0;
      charged = undefined;
    };
    const write: LedgerWrite = {
      again,
      decide: (given) => {
        again();
        const added = { ...nothingStored, ...given };
        if (account === undefined || account.state.head?.state === 'announced') return;
        this.requireRoom(account.state, added, { locks, ownReservation: reservation?.bytes ?? 0 });
        charged = added;
        taken = reservation?.bytes ?? 0;
        this.reserved -= taken;
      },
      transact: (space, keys, decide, options) => {
        const own = this.slotOf(space);
        const second = { ...accountRows(project, own, locks), ...options };
        return items.transactAcross!(space, keys, second, (rows, values) => {
          const state = readAccount(own, locks, values);
          const { head } = state;
          if (head === undefined || !accounts.isUsable(project, head)) throw new NotOpen(head);
          account = { own, state };
          again();
          const change = decide(rows);
          if (charged === undefined) return change;
          return { ...change, second: [slotRow(own, sumOf(state.own, charged))] };
        });
      },
    };
    try {
      const result = await work(write);
      if (charged !== undefined) {
        // The reserved bytes are stored now.
        taken = 0;
        if (reservation !== undefined) (reservation as OpenReservation).bytes = 0;
        if (account !== undefined)
          this.know(sumOf(sumOf(account.state.committed, account.state.pending), charged));
      }
      return result;
    } finally {
      this.reserved += taken;
    }
  }

  reserve(bytes: number): Promise<Reservation> {
    const { accounts, project } = this.options;
    return openReservation(bytes, this.count, (more, take) => {
      if (performance.now() - this.knownMs < freshMs && this.roomForBytes(more, 1 - margin)) return take();
      return accounts.read(project).then((stored) => {
        this.know(stored);
        const { fileBytes } = this.options.quotaNow();
        if (!this.roomForBytes(more)) throw this.refusal('fileBytes', fileBytes ?? 0);
        take();
      });
    });
  }

  private readonly count = (bytes: number): void => {
    this.reserved += bytes;
  };

  near(share: number): readonly QuotaName[] {
    return this.known === undefined ? [] : nearQuotas(this.options.quotaNow(), this.known, share);
  }

  private requireRoom(
    { committed, pending }: AccountState,
    added: Stored,
    { locks, ownReservation }: { readonly locks: SlotLocks; readonly ownReservation: number },
  ): void {
    const quota = this.options.quotaNow();
    for (const kind of kinds) {
      const most = quota[kind];
      if (most === undefined || added[kind] <= 0) continue;
      const reserved = kind === 'fileBytes' ? Math.max(0, this.reserved - ownReservation) : 0;
      const sum = committed[kind] + pending[kind] + reserved + added[kind];
      if (locks === 'all') {
        if (sum > most) throw this.refusal(kind, most);
      } else {
        const share = (most * margin) / slotCount;
        const isFree = committed[kind] + reserved + most * margin <= most;
        if (!isFree || pending[kind] + added[kind] > share) throw new LocksNeeded();
      }
    }
  }

  private refusal(kind: (typeof kinds)[number], most: number) {
    this.options.onRefused(quotaNames[kind]);
    return quotaExceeded(quotaNames[kind], most);
  }

  /** Whether a share of the quota has room for more bytes, as far as is known. */
  private roomForBytes(more: number, share = 1): boolean {
    const { fileBytes } = this.options.quotaNow();
    return (
      fileBytes === undefined || (this.known?.fileBytes ?? 0) + this.reserved + more <= share * fileBytes
    );
  }

  /** While the account is not open, nobody knows what is stored; then the transaction decides. */
  private know(stored: Stored | undefined): void {
    this.known = stored;
    this.knownMs = performance.now();
  }

  /** Spaces of a server use different slots, and so do servers. */
  private slotOf(space: string): string {
    let hash = this.options.salt;
    for (let at = 0; at < space.length; at++) hash = (Math.imul(hash, 31) + space.charCodeAt(at)) | 0;
    return slotKeys[(hash >>> 0) % slotCount]!;
  }
}
