import type { Grant } from '../access/grant.js';
import { ranks } from '../access/rights.js';
import { isWithin } from '../access/scope.js';
import type { Link } from './link.js';

/** Whether a key may make this link: it dies with the key, and with the right that it was made by. */
export function mayMakeLink(grant: Grant | undefined, { project, drive, name }: Link): boolean {
  return (
    grant !== undefined &&
    grant.project === project &&
    grant.rank >= ranks.full &&
    grant.drives.has(drive) &&
    isWithin(grant, name)
  );
}
