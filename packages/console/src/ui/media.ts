import { type ReadonlySignal, signal } from '@preact/signals';

/** Whether the window is as narrow as that of a phone. */
export const isPhone = media('(max-width: 640px)');

/** Whether the window is narrow, as that of a tablet, or as a page at twice its size. */
export const isNarrow = media('(max-width: 900px)');

/** Whether fingers point, which need more room. */
export const isTouch = media('(pointer: coarse)');

function media(query: string): ReadonlySignal<boolean> {
  const list = matchMedia(query);
  const matches = signal(list.matches);
  list.addEventListener('change', () => {
    matches.value = list.matches;
  });
  return matches;
}
