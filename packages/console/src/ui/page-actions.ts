import { useEffect, useRef } from 'preact/hooks';
import type { IconName } from './icon.js';

/** Something that can be done on the screen that is shown. */
export interface PageAction {
  readonly name: string;
  readonly icon: IconName;
  run(): void;
}

const sources = new Set<() => readonly PageAction[]>();

/** Offers what a screen does in the palette, as long as the screen is shown. It is asked when the palette opens. */
export function usePageActions(actions: () => readonly PageAction[]): void {
  const latest = useRef(actions);
  latest.current = actions;
  useEffect(() => {
    const source = () => latest.current();
    sources.add(source);
    return () => {
      sources.delete(source);
    };
  }, []);
}

/** What can be done on the screen at the time of the call. */
export function pageActions(): readonly PageAction[] {
  return [...sources].flatMap((source) => source());
}
