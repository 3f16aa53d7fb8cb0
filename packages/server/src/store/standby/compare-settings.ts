import type { ItemStore } from '../../engines/item-store.js';
import { baseSpaces, changesSpace, driveSpaces } from '../../spaces.js';
import { isCopied } from '../copy/copy-marker.js';
import type { CopyRun } from '../copy/copy-run.js';
import { copySpace } from '../copy/copy-space.js';
import { merge } from '../copy/merge.js';

/** Keys, webhooks, projects, public prefixes: few rows, which no log notes. They are compared. */
export async function compareSettings(run: CopyRun): Promise<void> {
  const { source, destination } = run;
  for await (const pairs of merge(otherSpaces(source.items), otherSpaces(destination.items))) {
    for (const { left, right } of pairs) await copySpace(run, (left ?? right)?.key ?? '');
  }
}

const noted = [baseSpaces, changesSpace, driveSpaces];
const afterAll = '\u{10ffff}';

/** All spaces that a copy has but bases and drives, of which there may be many. */
async function* otherSpaces(items: ItemStore): AsyncGenerator<readonly { readonly key: string }[]> {
  let after: string | undefined;
  search: for (;;) {
    for await (const key of items.spaces('', { after })) {
      const many = noted.find((beginning) => key.startsWith(beginning));
      if (many !== undefined) {
        after = many + afterAll;
        continue search;
      }
      if (isCopied(key)) yield [{ key }];
    }
    return;
  }
}
