import { anyListed } from '../drive/contents/row-contents.js';
import { jsonRow, listedKey, readRow, timedId } from '../drive/rows.js';
import type { TimedQuery } from '../drive/trash/trash.js';
import { createManyNames } from '../drive/turns.js';
import type { Change, ItemStore, Put } from '../engines/item-store.js';
import { type Clock, nowSeconds } from '../lib/clock.js';
import { groupsOf } from '../lib/groups.js';
import { randomId } from '../lib/random-id.js';
import { abandoned } from '../request-error.js';
import { driveSpace } from '../spaces.js';
import type { Link } from './link.js';

/** A link that its drive lists, as it is stored. It has no secret: the key that made it signs it again. */
export interface ListedLink {
  readonly keyId: string;
  readonly link: Link & { readonly id: string };
  /** Milliseconds since 1970 UTC. */
  readonly createdMs: number;
}

export interface ListedLinksQuery extends TimedQuery {
  /** Whether a link still works, as far as its key decides it. */
  isAllowed(link: ListedLink): Promise<boolean>;
  /** Whether nobody waits for the page any more. */
  isAbandoned(): boolean;
}

export interface NewLinks {
  /** Of the key that makes them. */
  readonly keyId: string;
  readonly names: readonly string[];
  /** Gives the link for a name. Called when it is stored. */
  linkOf(name: string): Link;
}

/** The links that drives list (docs/http.md#list-links). Each works as long as its row is there. */
export interface ListedLinks {
  /** Stores a link for each name, and gives their ids in the order of the names. */
  add(project: string, drive: string, links: NewLinks): Promise<readonly string[]>;
  /** Whether a link is there: true for every link that its drive does not list. */
  has(link: Link): Promise<boolean>;
  /** Reads a page, the newest link first. Throws the `RequestError` of an abandoned request. */
  list(
    project: string,
    drive: string,
    query: ListedLinksQuery,
  ): Promise<{ readonly links: readonly ListedLink[]; readonly more: boolean }>;
  /** Ends a link, if `isWithin` allows it for its name. Gives whether there was one. */
  end(project: string, drive: string, id: string, isWithin: (name: string) => boolean): Promise<boolean>;
}

/** Bounds the transaction that stores them. */
const linksPerCommit = 100;

/** Opens the lists in these rows. They are rows of the drives, so copies and backups keep them. */
export function createListedLinks(items: ItemStore, clock: Clock): ListedLinks {
  const live = (row: Buffer) => {
    const listed = readRow<ListedLink>(row);
    return listed.link.expiresAtSeconds > nowSeconds(clock) ? listed : undefined;
  };

  // Beside 16 requests for 1000 links each, a get took 120 ms: all made their rows in the same turns of the event loop.
  const manyNames = createManyNames();

  return {
    async add(project, drive, { keyId, names, linkOf }) {
      const createdMs = clock();
      const ids: string[] = [];
      for (const some of groupsOf(names, linksPerCommit)) {
        await manyNames(project, some.length, () => {
          const puts: Put[] = [];
          for (const name of some) {
            const id = timedId(createdMs, randomId());
            ids.push(id);
            puts.push(listedRow({ keyId, link: { ...linkOf(name), id }, createdMs }));
          }
          return items.transact(driveSpace(project, drive), [], () => ({ puts, result: undefined }));
        });
      }
      return ids;
    },

    async has({ project, drive, id }) {
      if (id === undefined) return true;
      return (await items.get(driveSpace(project, drive), listedKey(id))) !== undefined;
    },

    async list(project, drive, { prefix, within, last, limit, isAllowed, isAbandoned }) {
      const links: ListedLink[] = [];
      const bound = last === '' ? {} : { lt: listedKey(last) };
      const range = { prefix: anyListed, ...bound, reverse: true, firstBatch: limit + 1 };
      for await (const batch of items.scan(driveSpace(project, drive), range)) {
        if (isAbandoned()) throw abandoned();
        for (const { value } of batch) {
          const listed = live(value);
          if (listed === undefined) continue;
          const { name } = listed.link;
          if (!name.startsWith(prefix) || !name.startsWith(within) || !(await isAllowed(listed))) continue;
          if (links.length === limit) return { links, more: true };
          links.push(listed);
        }
      }
      return { links, more: false };
    },

    async end(project, drive, id, isWithin) {
      const key = listedKey(id);
      return await items.transact(driveSpace(project, drive), [key], ([row]): Change<boolean> => {
        const listed = row && live(row);
        if (listed === undefined || !isWithin(listed.link.name)) return { result: false };
        return { deletes: [key], result: true };
      });
    },
  };
}

function listedRow(listed: ListedLink): Put {
  return { ...jsonRow(listedKey(listed.link.id), listed), dueSeconds: listed.link.expiresAtSeconds };
}
