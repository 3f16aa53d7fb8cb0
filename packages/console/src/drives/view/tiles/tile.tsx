import { useEffect, useRef } from 'preact/hooks';
import { formatBytes } from '../../../ui/format.js';
import type { Entry, FileFacts } from '../../entry.js';
import { PublicMark } from '../../sharing/public-mark.js';
import type { EntryActions } from '../entry-actions.js';
import { EntryIcon } from '../entry-icon.js';
import { EntryOpener } from '../entry-opener.js';
import { hasThumbnail, keptThumbnail, makeThumbnail } from './thumbnails.js';

interface TileProps {
  readonly entry: Entry;
  readonly actions: EntryActions;
}

/** What a file or folder looks like: an image, or the icon of what it is, and its name. */
export function Tile({ entry, actions }: TileProps) {
  const { drive } = actions;
  const { file, name } = entry;
  return (
    <div role="none" class="tile-content" {...actions.dragProps(entry)}>
      <div class="tile-picture">
        <EntryIcon entry={entry} size={32} />
        {file !== undefined && hasThumbnail(drive, file) && <Thumbnail drive={drive} file={file} />}
      </div>
      <EntryOpener class="tile-name" entry={entry} onOpen={actions.onOpen} />
      <span class="meta row">
        {file === undefined ? 'Folder' : formatBytes(file.size)}
        {file === undefined && <PublicMark drive={drive} name={name} />}
      </span>
    </div>
  );
}

/** Draws the thumbnail over the icon once it is there. */
function Thumbnail({ drive, file }: { readonly drive: string; readonly file: FileFacts }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const ended = new AbortController();
    const draw = (thumbnail: ImageBitmap | undefined) => {
      const { current } = canvas;
      if (current === null || thumbnail === undefined) return;
      current.width = thumbnail.width;
      current.height = thumbnail.height;
      current.getContext('2d')?.drawImage(thumbnail, 0, 0);
      current.classList.add('is-drawn');
    };
    canvas.current?.classList.remove('is-drawn');
    const kept = keptThumbnail(drive, file);
    if (kept !== undefined) draw(kept);
    // A failure leaves the icon: opening the file says what is wrong.
    else makeThumbnail(drive, file, ended.signal).then(draw, () => {});
    return () => ended.abort();
  }, [drive, file.name, file.etag]);
  return <canvas ref={canvas} class="thumbnail" />;
}
