import type { Route } from '../../router.js';
import type { IconName } from '../../ui/icon.js';

/** What the palette offers: a place to go to, or something to do. */
export interface Target {
  readonly icon: IconName;
  readonly text: string;
  /** Where it is, if its text does not say so. */
  readonly where?: string;
  readonly to: Route | (() => void);
}

/** Targets of one kind, in the order in which they are shown. */
export interface TargetGroup {
  readonly title: string;
  readonly targets: readonly Target[];
}

/** Targets of each kind that are shown. */
export const shownOfEach = 6;

/** Whether a text has all words, in any case. */
export function hasWords(text: string, words: string): boolean {
  const lower = text.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => lower.includes(word));
}
