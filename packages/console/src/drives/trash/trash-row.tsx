import type { TrashedFile } from 'basedrive-client';
import { mayWrite } from '../../api/own-key.js';
import { Button } from '../../ui/button.js';
import { formatBytes, formatFromNow, formatTime } from '../../ui/format.js';
import { visible } from '../../ui/visible.js';

interface TrashRowProps {
  readonly file: TrashedFile;
  readonly isBusy: boolean;
  onRestore(): void;
}

/** A file in the trash: what it was, since when, until when, and the way back. */
export function TrashRow({ file: { name, size, deleted, expires }, isBusy, onRestore }: TrashRowProps) {
  return (
    <li class="trash-row">
      <span class="trash-file">
        <span class="clip mono" title={visible(name)}>
          {visible(name)}
        </span>
        <span class="meta">
          {formatBytes(size)} · <span title={formatTime(deleted)}>deleted {formatFromNow(deleted)}</span> ·{' '}
          <span title={formatTime(expires)}>leaves {formatFromNow(expires)}</span>
        </span>
      </span>
      {mayWrite.value && (
        <Button
          text="Bring back"
          icon="revert"
          disabled={isBusy}
          aria-label={`Bring back ${visible(name)}`}
          onClick={onRestore}
        />
      )}
    </li>
  );
}
