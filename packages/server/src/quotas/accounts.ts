import { setTimeout as wait } from 'node:timers/promises';
import type { ItemStore, Row } from '../engines/item-store.js';
import { randomId } from '../lib/random-id.js';
import { accountSpaceOf } from '../spaces.js';
import {
  type AccountHead,
  accountHeadKey,
  headRow,
  isOpenIn,
  readHead,
  readSlot,
  slotKeys,
  slotRow,
} from './account-rows.js';
import { nothingStored, type Stored, sumOf } from './ledger.js';

/** What the account of a project must be to be believed. */
export interface AccountTerms {
  /** Of the quota of all projects; undefined for a project that has one of its own. */
  readonly era: string | undefined;
  /** Whether every server has known of that quota for long enough: none writes to the project without counting. */
  readonly isKnownEverywhere: boolean;
}

/** The accounts of projects with a quota, on rows that servers share. */
export interface Accounts {
  /** From now on the account counts nothing, until it is opened. Call it before a quota is set. */
  announce(project: string): Promise<void>;
  /**
   * Measures the project and opens its account, unless it is open. Every server that writes must know of the quota. Nobody
   * writes to the project in the meantime. Several servers may do it at once.
   */
  open(project: string): Promise<void>;
  /**
   * For a writer that has found an account that is not open: resolves when it is worth looking again. It opens the
   * account if whoever was about to do so has not.
   */
  waitFor(project: string, head: AccountHead | undefined): Promise<void>;
  /** Whether a writer may go on by what the account says, or without counting because it was just announced. */
  isUsable(project: string, head: AccountHead): boolean;
  /** What the account says; undefined if it is not open. */
  read(project: string): Promise<Stored | undefined>;
  /** Removes the account of a project without a quota. */
  remove(project: string): Promise<void>;
}

export interface AccountsOptions {
  readonly items: Pick<ItemStore, 'transact' | 'scan'>;
  readonly measure: (project: string) => Promise<Stored>;
  readonly termsOf: (project: string) => AccountTerms;
  /** After this time, every server knows what another one has changed. */
  readonly knownEverywhereMs: number;
  readonly monotonicMs: () => number;
}

const pauseMs = 25;
/** A server that has changed nothing for this long has ended, or was cut off: another one does its work. */
const abandonedMs = 10_000;
const maxWaiting = 1000;
const allKeys = [accountHeadKey, ...slotKeys];

export function createAccounts({
  items,
  measure,
  termsOf,
  knownEverywhereMs,
  monotonicMs,
}: AccountsOptions): Accounts {
  const ageOf = createAges(monotonicMs);
  const opening = new Map<string, Promise<void>>();

  async function measureAndOpen(project: string): Promise<void> {
    const space = accountSpaceOf(project);
    const token = randomId();
    const { era } = termsOf(project);
    // All slots are locked for it: whoever wrote before has committed, and whoever comes later waits.
    const head = await items.transact(space, allKeys, ([row]) => {
      const before = readHead(row);
      const isOthers = before?.state === 'measuring' && ageOf(before.token) < abandonedMs;
      if (isOpenIn(era, before) || isOthers) return { result: before };
      return { puts: rowsOf({ state: 'measuring', token }), result: undefined };
    });
    if (isOpenIn(era, head)) return;
    if (head !== undefined) {
      await wait(pauseMs);
      return await measureAndOpen(project);
    }
    const stored = await measure(project);
    const isOpened = await items.transact(space, allKeys, ([row]) =>
      readHead(row)?.token === token
        ? { puts: rowsOf({ state: 'open', token: randomId(), era, hasMarkers: true }, stored), result: true }
        : { result: false },
    );
    // Another server took this one for dead, and measures again.
    if (!isOpened) await measureAndOpen(project);
  }

  function open(project: string): Promise<void> {
    const present = opening.get(project);
    if (present !== undefined) return present;
    const begun = measureAndOpen(project).finally(() => opening.delete(project));
    opening.set(project, begun);
    return begun;
  }

  return {
    async announce(project) {
      const puts = rowsOf({ state: 'announced', token: randomId() });
      await items.transact(accountSpaceOf(project), allKeys, () => ({ puts, result: undefined }));
    },

    open,

    async waitFor(project, head) {
      if (head?.state === 'measuring') {
        if (ageOf(head.token) < abandonedMs) await wait(pauseMs);
        else await open(project);
        return;
      }
      // Nobody measures it, as after a copy: not before the others know of the quota, if it is new.
      const { era, isKnownEverywhere } = termsOf(project);
      // That of an earlier version: every server knows of the quota.
      if (head?.state === 'open' && head.era === era) return await open(project);
      const sinceMs = () => ageOf(`${head?.token ?? `none ${project}`} ${era ?? ''}`);
      if (isKnownEverywhere || sinceMs() >= knownEverywhereMs) await open(project);
      else await wait(pauseMs);
    },

    isUsable(project, head) {
      const { era } = termsOf(project);
      if (head.state === 'open') return isOpenIn(era, head);
      // Whoever was about to open it may have ended without doing so.
      return head.state === 'announced' && era === undefined && ageOf(head.token) < abandonedMs;
    },

    async read(project) {
      const { head, stored } = await readAccountRows(items, project);
      return isOpenIn(termsOf(project).era, head) ? stored : undefined;
    },

    async remove(project) {
      await items.transact(accountSpaceOf(project), allKeys, () => ({ deletes: allKeys, result: undefined }));
    },
  };
}

/** Gives for how long this server has seen the head of an account that is not open, by its token. */
function createAges(monotonicMs: () => number): (token: string) => number {
  const seenMs = new Map<string, number>();
  return (token) => {
    const known = seenMs.get(token);
    if (known !== undefined) return monotonicMs() - known;
    if (seenMs.size >= maxWaiting) seenMs.clear();
    seenMs.set(token, monotonicMs());
    return 0;
  };
}

/** All rows of an account. What is stored is in its first slot. */
function rowsOf(head: AccountHead, stored: Stored = nothingStored) {
  return [headRow(head), ...slotKeys.map((key, at) => slotRow(key, at === 0 ? stored : nothingStored))];
}

/** The rows of an account, and what they say. */
export async function readAccountRows(items: Pick<ItemStore, 'scan'>, project: string) {
  const found: Row[] = [];
  for await (const rows of items.scan(accountSpaceOf(project))) found.push(...rows);
  const slots = found.filter(({ key }) => key !== accountHeadKey).map(({ value }) => readSlot(value));
  return {
    rows: found,
    head: readHead(found.find(({ key }) => key === accountHeadKey)?.value),
    stored: slots.reduce((sum, slot) => sumOf(sum, slot), nothingStored),
  };
}
