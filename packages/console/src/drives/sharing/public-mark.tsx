import { countOf } from '../../ui/format.js';
import { Icon } from '../../ui/icon.js';
import { visible } from '../../ui/visible.js';
import { publicPrefixesBelow, publicPrefixOf } from './public-prefixes.js';

interface PublicMarkProps {
  readonly drive: string;
  /** The folder, with its `/`. */
  readonly name: string;
}

/** Says of a folder that its files are public, or some of them. */
export function PublicMark({ drive, name }: PublicMarkProps) {
  const inside = publicPrefixesBelow(drive, name);
  if (inside.length === 0) return null;
  return (
    <span class="badge public-mark">
      <Icon name="globe" />
      {inside.includes(name) ? 'Public' : 'Partly public'}
    </span>
  );
}

interface PublicBadgeProps {
  readonly drive: string;
  readonly folder: string;
  onOpen(): void;
}

/** In the head of a folder: whether it is public, or has folders that are. Nothing if not. */
export function PublicBadge({ drive, folder, onOpen }: PublicBadgeProps) {
  const covering = publicPrefixOf(drive, folder);
  const below = publicPrefixesBelow(drive, folder);
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
