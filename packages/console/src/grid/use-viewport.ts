import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type Body, scrollTopOf } from './scroll-space.js';
import {
  bodyOf,
  type Drawn,
  followScrolling,
  type GridContent,
  reveal,
  toDraw,
  unscrolled,
  viewHeightOf,
} from './scrolling.js';

export interface Viewport extends Drawn {
  readonly body: Body;
  /** The height of the view without the head; 0 before it is known. */
  readonly viewHeight: number;
  /** Scrolls so that a part of the content is in view: `height` pixels of it, from the pixel `top` on. */
  reveal(top: number, height: number): void;
}

/**
 * Follows the scrolling of an element, and says what is to be drawn. The component is drawn again only when that changes:
 * most frames of scrolling cost nothing. The size of the element is read when it changes, never while it is scrolled.
 * `onSettled` gets the pixel of the content at the top of the view when scrolling has ended.
 */
export function useViewport(
  scroller: RefObject<HTMLElement | null>,
  content: GridContent,
  onSettled?: (top: number) => void,
): Viewport {
  const [, redraw] = useState(0);
  const [scrolling] = useState(() => unscrolled(content, () => redraw((count) => count + 1)));
  scrolling.content = content;
  scrolling.onSettled = onSettled;

  const body = bodyOf(scrolling);
  const lastScale = useRef(body.scale);
  if (lastScale.current !== body.scale) {
    // More rows change what a pixel of the scrollbar stands for: the rows in view stay.
    lastScale.current = body.scale;
    const { top } = scrolling.place;
    scrolling.place = { top, scrollTop: scrollTopOf(top, body) };
  }

  const lastHeight = useRef(content.rowHeight);
  if (lastHeight.current !== content.rowHeight) {
    // The row at the top of the view stays there.
    const top = (scrolling.place.top / lastHeight.current) * content.rowHeight;
    lastHeight.current = content.rowHeight;
    scrolling.place = { top, scrollTop: scrollTopOf(top, body) };
  }

  useLayoutEffect(() => {
    const element = scroller.current;
    const { scrollTop } = scrolling.place;
    if (element !== null && element.scrollTop !== scrollTop) element.scrollTop = scrollTop;
  }, [body.scale, content.rowHeight]);

  useLayoutEffect(() => {
    const element = scroller.current;
    return element === null ? undefined : followScrolling(scrolling, element);
  }, []);

  scrolling.drawn = toDraw(scrolling);
  return {
    ...scrolling.drawn,
    body,
    viewHeight: viewHeightOf(scrolling),
    reveal(top, height) {
      if (scroller.current !== null) reveal(scrolling, scroller.current, top, height);
    },
  };
}
