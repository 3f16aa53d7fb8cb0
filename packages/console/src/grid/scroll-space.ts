/** Browsers draw nothing beyond some millions of pixels: Firefox ends at 17.8 million. */
const maxBodyHeight = 15_000_000;

/** The height of the body of a grid, and how many pixels of content each pixel of the scrollbar stands for. */
export interface Body {
  readonly height: number;
  readonly scale: number;
}

/** The body for content of this height: as high as it, or the highest that browsers can draw. */
export function bodyFor(contentHeight: number, viewHeight: number): Body {
  if (contentHeight <= maxBodyHeight) return { height: contentHeight, scale: 1 };
  return { height: maxBodyHeight, scale: (contentHeight - viewHeight) / (maxBodyHeight - viewHeight) };
}

/** Where a grid is scrolled to. */
export interface ScrollPlace {
  /** The pixel of the content at the top of the view. */
  readonly top: number;
  /** The scroll position of the element at the same time. */
  readonly scrollTop: number;
}

/**
 * The place after the element was scrolled to `scrollTop`. In a body that is lower than its content, the wheel, a finger
 * and keys move the content by as many pixels as anywhere, and the scrollbar by its scale: a pixel of it is more than a
 * screen then.
 */
export function scrolled(
  from: ScrollPlace,
  scrollTop: number,
  body: Body,
  content: { readonly height: number; readonly viewHeight: number },
): ScrollPlace {
  if (body.scale === 1) return { top: scrollTop, scrollTop };
  const by = scrollTop - from.scrollTop;
  const end = Math.max(0, content.height - content.viewHeight);
  const isByScrollbar = Math.abs(by) > 2 * content.viewHeight;
  const top = isByScrollbar ? scrollTop * body.scale : from.top + by;
  return { top: Math.max(0, Math.min(end, top)), scrollTop };
}

/** The scroll position that shows a place of the content by the scale: where the scrollbar would show it. */
export function scrollTopOf(top: number, body: Body): number {
  return top / body.scale;
}
