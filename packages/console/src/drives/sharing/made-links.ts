import { effect, signal } from '@preact/signals';
import type { FileLink } from 'basedrive-client';
import { key } from '../../api/session.js';
import { keepInTab } from '../../api/tab-storage.js';

/** A link that was made in this tab. */
export interface MadeLink extends FileLink {
  readonly drive: string;
}

const storageName = 'basedrive-links';
const maxLinks = 1000;

/**
 * The links that were made in this tab, the newest first. The service keeps no list: a link is signed and needs no
 * record. Whoever reads the storage of this tab has its key, too.
 */
export const madeLinks = signal<readonly MadeLink[]>(read());

effect(() => keepInTab(storageName, madeLinks.value));
let owner = key.peek();
effect(() => {
  // Nothing of another key's project is shown.
  if (key.value === owner) return;
  owner = key.value;
  madeLinks.value = [];
});

/** Notes links of a drive. Those that have ended are forgotten. */
export function noteLinks(drive: string, links: readonly FileLink[]): void {
  const made = links.map((link) => ({ ...link, drive }));
  madeLinks.value = [...made, ...madeLinks.peek()].filter(isValid).slice(0, maxLinks);
}

/** Whether a link still works, as far as the clock of this machine is right. */
export function isValid({ expires }: MadeLink): boolean {
  return expires * 1000 > Date.now();
}

function read(): readonly MadeLink[] {
  try {
    const found: unknown = JSON.parse(sessionStorage.getItem(storageName) ?? '[]');
    return Array.isArray(found) ? (found as MadeLink[]) : [];
  } catch {
    return [];
  }
}
