import type { KeyPage } from './key-page.js';
import { type PageTree, pagesBefore } from './page-tree.js';

/** All pages of all trees, up to this many bytes. The page that was not read for the longest time, about, is dropped first. */
export type PageMemory = ReturnType<typeof createPageMemory>;

interface CachedPage {
  readonly page: KeyPage;
  readonly tree: PageTree;
}

export function createPageMemory(maxBytes: number) {
  const trees = new Map<string, PageTree>();
  /** In any order. */
  const all: CachedPage[] = [];
  let bytes = 0;
  let hand = 0;

  function forgetIfIdle({ start, pages, gaps }: PageTree): void {
    if (pages.length === 0 && gaps.size === 0) trees.delete(start);
  }

  function drop(tree: PageTree, page: KeyPage): void {
    const at = pagesBefore(tree.pages, page.from);
    if (tree.pages[at] !== page) return;
    tree.pages.splice(at, 1);
    bytes -= page.size;
    const last = all.pop() as CachedPage;
    if (last.page !== page) {
      all[page.index] = last;
      last.page.index = page.index;
    }
    forgetIfIdle(tree);
  }

  return {
    get bytes(): number {
      return bytes;
    },

    /** Whether a tree has any pages, or is being read. */
    get isEmpty(): boolean {
      return trees.size === 0;
    },

    tree: (start: string) => trees.get(start),

    /** Gives the tree of this start, which may be new. Call `forgetIfIdle` when nothing is read into it any more. */
    openTree(start: string): PageTree {
      const tree = trees.get(start) ?? { start, pages: [], gaps: new Set() };
      trees.set(start, tree);
      return tree;
    },

    forgetIfIdle,

    add(tree: PageTree, page: KeyPage): void {
      trees.set(tree.start, tree);
      tree.pages.splice(pagesBefore(tree.pages, page.from), 0, page);
      page.index = all.length;
      all.push({ page, tree });
      bytes += page.size;
    },

    drop,

    has: (page: KeyPage) => all[page.index]?.page === page,

    /** A page takes this many more bytes than before. It may have been dropped. */
    noteGrowth(page: KeyPage, growth: number): void {
      if (growth > 0 && all[page.index]?.page === page) bytes += growth;
    },

    /** Drops what does not fit, by the clock algorithm. */
    dropCold(): void {
      while (bytes > maxBytes && all.length > 0) {
        if (hand >= all.length) hand = 0;
        const { page, tree } = all[hand] as CachedPage;
        if (page.isHot) {
          page.isHot = false;
          hand++;
        } else drop(tree, page);
      }
    },
  };
}
