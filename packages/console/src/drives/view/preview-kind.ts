/** How a file is shown. */
export type PreviewKind = 'image' | 'video' | 'audio' | 'pdf' | 'text' | 'none';

const maxMediaBytes = 64 * 1024 * 1024;
/** A PDF is drawn by the page itself, which must not stand still for long. */
const maxPdfBytes = 16 * 1024 * 1024;
/** Types that are text without saying so. An HTML or SVG file shown as text runs nothing. */
const textTypes =
  /^(text\/|application\/(json|[\w.-]+\+json|x-ndjson|xml|[\w.-]+\+xml|javascript|x-sh|yaml|toml|sql))/;

/**
 * How a file of this type and size is shown. An image is shown by the browser's `<img>`, in which nothing runs. Media
 * are read whole, so large ones are not shown.
 */
export function previewKind(type: string, size: number): PreviewKind {
  const [essence = ''] = type.toLowerCase().split(';');
  if (/^image\//.test(essence) && size <= maxMediaBytes) return 'image';
  if (/^video\//.test(essence) && size <= maxMediaBytes) return 'video';
  if (/^audio\//.test(essence) && size <= maxMediaBytes) return 'audio';
  if (essence.trim() === 'application/pdf' && size <= maxPdfBytes) return 'pdf';
  return textTypes.test(essence) ? 'text' : 'none';
}

/** The type that a blob for the preview has: only what `<img>`, `<video>` and `<audio>` take. */
export function mediaType(type: string): string {
  return type.toLowerCase().split(';')[0]?.trim() ?? '';
}
