import { effect } from '@preact/signals';
import { isSameList, keepScroll, keptScroll, type Route, route } from '../router.js';

/** Milliseconds without scrolling after which a place is noted. */
const restMs = 150;
/** Frames for which a place must hold: what was there before may still be shown in the first ones. */
const heldFrames = 30;
/** Milliseconds after which a place is given up: what is long is read page by page. */
const maxMs = 10_000;
/** What a person does who goes elsewhere in the meantime. */
const moves = ['wheel', 'pointerdown', 'keydown', 'touchstart'] as const;

/**
 * Notes how far the parts of the screen are scrolled in the step of the browser's history, and scrolls them there again
 * after Back and a reload. The items of a base keep their place by their rows. Gives a function that ends it.
 */
export function keepScrolls(main: HTMLElement): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let restoring: Restoring | undefined;
  let shown: Route | undefined;

  const onScroll = ({ target }: Event) => {
    if (!(target instanceof HTMLElement) || !isKept(target)) return;
    // A part that is not long enough yet is scrolled as far as it goes: that is not its place.
    if (restoring?.isOver() === false) return;
    clearTimeout(timer);
    timer = setTimeout(() => keepScroll({ ...keptScroll(), [nameOf(target)]: target.scrollTop }), restMs);
  };
  main.addEventListener('scroll', onScroll, { capture: true, passive: true });
  const end = effect(() => {
    const next = route.value;
    if (shown !== undefined && isSameList(shown, next)) return;
    shown = next;
    clearTimeout(timer);
    restoring?.stop();
    restoring = restore(main, keptScroll());
  });
  return () => {
    end();
    restoring?.stop();
    clearTimeout(timer);
    main.removeEventListener('scroll', onScroll, { capture: true });
  };
}

const isKept = (element: HTMLElement) =>
  !(route.peek().screen === 'bases' && element.getAttribute('role') === 'grid');

const nameOf = (element: HTMLElement) => element.classList[0] ?? '';

interface Restoring {
  /** Whether all parts are there, or a person goes elsewhere. */
  isOver(): boolean;
  stop(): void;
}

/** Scrolls parts to where they were, as soon as they are long enough. */
function restore(main: HTMLElement, places: Readonly<Record<string, number>>): Restoring | undefined {
  const wanted = Object.entries(places).filter(([, top]) => top > 0);
  if (wanted.length === 0) return undefined;
  const began = performance.now();
  const ended = new AbortController();
  let held = 0;
  const step = () => {
    if (ended.signal.aborted) return;
    const areThere = wanted.map(([name, top]) => isAt(main.querySelector(`.${CSS.escape(name)}`), top));
    held = areThere.every(Boolean) ? held + 1 : 0;
    if (held < heldFrames && performance.now() - began < maxMs) requestAnimationFrame(step);
    else ended.abort();
  };
  for (const move of moves)
    addEventListener(move, () => ended.abort(), { capture: true, passive: true, signal: ended.signal });
  requestAnimationFrame(step);
  return { isOver: () => ended.signal.aborted, stop: () => ended.abort() };
}

/** Scrolls a part as far as it is there already. Gives whether it is at its place. */
function isAt(part: Element | null, top: number): boolean {
  if (part === null || !isKept(part as HTMLElement)) return false;
  if (Math.abs(part.scrollTop - top) > 1) part.scrollTop = top;
  return Math.abs(part.scrollTop - top) <= 1;
}
