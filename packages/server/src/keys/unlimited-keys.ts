import type { ItemStore } from '../engines/item-store.js';
import { type Clock, nowSeconds } from '../lib/clock.js';
import { groupsOf } from '../lib/groups.js';
import type { Log } from '../lib/log.js';
import { keysSpace } from '../spaces.js';
import { createKeyCheck, type KeyCheck } from './check/key-check.js';
import { infoOf, type KeyInfo } from './key-administration.js';
import { isKeyExpired, type KeyRow } from './key-row.js';
import type { LimitedKeys } from './limited/limited-keys.js';
import { newlyUsed, readStoredKeys, tidyStoredKeys } from './stored-keys.js';

const tidiedAtOnce = 500;

export interface UnlimitedKeysOptions {
  readonly operatorKeys: readonly string[];
  readonly limited: LimitedKeys;
  readonly clock: Clock;
  readonly log: Log | undefined;
}

/** A key with its new row; undefined if it has ended. */
type KeyChange = readonly [id: string, row: KeyRow | undefined];

/**
 * The keys without limits: their rows as this server has read them last, and the check that accepts them. A class, because
 * both change together. A load may overlap any change.
 */
export class UnlimitedKeys {
  readonly check: KeyCheck;
  private rows: ReadonlyMap<string, KeyRow> | undefined;
  /** What was added and ended here while the rows are read; undefined while they are not. */
  private meanwhile: Map<string, KeyRow | undefined> | undefined;

  constructor(
    private readonly items: ItemStore,
    private readonly options: UnlimitedKeysOptions,
  ) {
    this.check = createKeyCheck(options);
  }

  /** Reads the rows. Calls may not overlap. */
  async load(): Promise<void> {
    const meanwhile = new Map<string, KeyRow | undefined>();
    this.meanwhile = meanwhile;
    try {
      this.accept(changed(await readStoredKeys(this.items), meanwhile));
    } finally {
      this.meanwhile = undefined;
    }
  }

  /** A row was stored here. */
  add(id: string, row: KeyRow): void {
    this.change(id, row);
  }

  /** A row was deleted here. */
  end(id: string): void {
    this.change(id, undefined);
  }

  private change(id: string, row: KeyRow | undefined): void {
    this.meanwhile?.set(id, row);
    this.acceptChanged([[id, row]]);
  }

  private acceptChanged(changes: readonly KeyChange[]): void {
    this.accept(changed(this.rows ?? new Map(), changes));
  }

  infoOf(id: string): KeyInfo | undefined {
    const row = this.rowOf(id);
    return row && this.infoNow(id, row);
  }

  private rowOf(id: string): KeyRow | undefined {
    return this.rows?.get(id) ?? this.options.limited.get(id)?.row;
  }

  /** With the last use that this server has seen and not yet written. */
  infoNow(id: string, row: KeyRow): KeyInfo {
    const lastUsedSeconds = newlyUsed(row, this.check.usedMs(id)) ?? row.lastUsedSeconds;
    return infoOf(id, { ...row, lastUsedSeconds });
  }

  /** Whether the key with this id has S3 credentials. */
  hasS3(id: string): boolean {
    return this.rowOf(id)?.s3 === true;
  }

  /** How many keys without limits a project has. */
  countOf(project: string): number {
    return [...(this.rows?.values() ?? [])].filter((row) => row.project === project && !row.limited).length;
  }

  /** Writes when keys were used last, and deletes the rows of keys that have expired. */
  async tidy(): Promise<void> {
    const now = nowSeconds(this.options.clock);
    const { usedMs } = this.check;
    const ids = Array.from(this.rows ?? [])
      .filter(([id, row]) => isKeyExpired(row, now) || newlyUsed(row, usedMs(id)) !== undefined)
      .map(([id]) => id);
    for (const some of groupsOf(ids, tidiedAtOnce)) {
      const tidied = await tidyStoredKeys(this.items, some, { space: keysSpace, now, usedMs });
      for (const [id, row] of tidied) if (row === undefined) this.meanwhile?.set(id, undefined);
      // A key that has ended in the meantime stays so.
      this.acceptChanged(tidied.filter(([id]) => this.rows?.has(id)));
    }
  }

  private accept(current: ReadonlyMap<string, KeyRow>): void {
    const { log, clock } = this.options;
    if (this.rows !== undefined && log !== undefined) {
      logDifference(log, this.rows, current, nowSeconds(clock));
    }
    this.rows = current;
    this.check.accept(current);
  }
}

function changed(
  rows: ReadonlyMap<string, KeyRow>,
  changes: Iterable<KeyChange>,
): ReadonlyMap<string, KeyRow> {
  const current = new Map(rows);
  for (const [id, row] of changes) {
    if (row === undefined) current.delete(id);
    else current.set(id, row);
  }
  return current;
}

function logDifference(
  log: Log,
  before: ReadonlyMap<string, KeyRow>,
  after: ReadonlyMap<string, KeyRow>,
  nowSeconds: number,
): void {
  for (const [keyId, { project }] of after) {
    if (!before.has(keyId)) log.info({ keyId, project }, 'key created');
  }
  for (const [keyId, row] of before) {
    if (after.has(keyId)) continue;
    const { project } = row;
    log.info({ keyId, project }, isKeyExpired(row, nowSeconds) ? 'key expired' : 'key revoked');
  }
}
