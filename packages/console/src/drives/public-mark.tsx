import { countOf } from '../ui/format.js';
import { Icon } from '../ui/icon.js';
import { visible } from '../ui/visible.js';
import { publicPrefixes, publicPrefixOf } from './public-prefixes.js';

/** Says of a folder that its files are public, or some of them. `name` ends in `/`. */
export function PublicMark({ name }: { readonly name: string }) {
  const inside = publicPrefixes.value?.prefixes.filter((prefix) => prefix.startsWith(name)) ?? [];
  if (inside.length === 0) return null;
  return (
    <span class="badge public-mark">
      <Icon name="globe" />
      {inside.includes(name) ? 'Public' : 'Partly public'}
    </span>
  );
}

/** In the head of a folder: whether it is public, or has folders that are. Nothing if not. */
export function PublicBadge({ folder, onOpen }: { readonly folder: string; onOpen(): void }) {
  const covering = publicPrefixOf(folder);
  const below = publicPrefixes.value?.prefixes.filter((prefix) => prefix.startsWith(folder)) ?? [];
  if (covering === undefined && below.length === 0) return null;
  const title =
    covering === undefined
      ? below.map(visible).join(', ')
      : `${visible(covering)} is public. Show its address`;
  return (
    <button type="button" class="badge public-badge" title={title} onClick={onOpen}>
      <Icon name="globe" />
      {covering === undefined ? countOf(below.length, 'public folder') : 'Public'}
    </button>
  );
}
