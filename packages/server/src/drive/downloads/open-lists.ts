import type { ItemStore } from '../../engines/item-store.js';
import { type NamedContent, piecesOf } from '../contents/row-contents.js';
import type { ListedPiece } from '../rows.js';

/**
 * The lists of pieces that downloads in progress use. All downloads of a content share its list: with 10,000 pieces it takes
 * 4 MB, and 20 ms to read.
 */
export interface OpenLists {
  /** Reads the list, unless another download has it. `close` must be called once. Gives undefined if there is no list. */
  open(space: string, content: NamedContent): OpenList;
  /** How many lists are open. */
  readonly size: number;
}

export interface OpenList {
  readonly pieces: Promise<readonly ListedPiece[] | undefined>;
  close(): void;
}

export function createOpenLists(items: Pick<ItemStore, 'get'>): OpenLists {
  const lists = new Map<string, { readonly pieces: OpenList['pieces']; users: number }>();

  return {
    open(space, content) {
      const { id } = content;
      const list = lists.get(id) ?? { pieces: piecesOf(items, space, content), users: 0 };
      lists.set(id, list);
      list.users++;
      return {
        pieces: list.pieces,
        close() {
          if (--list.users === 0) lists.delete(id);
        },
      };
    },
    get size() {
      return lists.size;
    },
  };
}
