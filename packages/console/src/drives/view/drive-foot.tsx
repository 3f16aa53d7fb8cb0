import { mayPublish, mayShare, mayWrite } from '../../api/own-key.js';
import { goToRow } from '../../grid/grid.js';
import { Button, IconButton } from '../../ui/button.js';
import { countOf, formatCount } from '../../ui/format.js';
import type { Entry } from '../entry.js';

/** The limit of Create Links (docs/http.md#create-links). */
const maxLinks = 1000;
/** More do not fit on a page. */
const manyEntries = 50;

interface DriveFootProps {
  readonly selected: readonly Entry[];
  readonly count: number;
  readonly isComplete: boolean;
  /** Reads the rest, if need be, and shows the last entries. */
  onEnd(): void;
  onDownload(): void;
  onShare(): void;
  /** Shows what is public, and offers a folder. */
  readonly onPublic: ((folder: string) => void) | undefined;
  onMove(): void;
  /** One entry is selected, which is to be renamed. */
  onRename(): void;
  onDelete(): void;
  onClear(): void;
}

/** What can be done with the selected entries, and how many there are. */
export function DriveFoot(props: DriveFootProps) {
  const {
    selected,
    count,
    isComplete,
    onEnd,
    onDownload,
    onShare,
    onPublic,
    onMove,
    onRename,
    onDelete,
    onClear,
  } = props;
  const canShare = selected.length <= maxLinks && selected.every(({ file }) => file !== undefined);
  const [first] = selected;
  const canPublish = selected.length === 1 && first?.file === undefined;
  return (
    <footer class="screen-foot wraps">
      {selected.length > 0 && (
        <>
          <span>{formatCount(selected.length)} selected</span>
          <Button text="Download" variant="quiet" icon="download" onClick={onDownload} />
          {mayShare.value && canShare && (
            <Button text="Share" variant="quiet" icon="link" onClick={onShare} />
          )}
          {mayPublish.value && canPublish && (
            <Button
              text="Public"
              variant="quiet"
              icon="globe"
              onClick={() => onPublic?.(first?.name ?? '')}
            />
          )}
          {mayWrite.value && (
            <>
              <Button text="Move" variant="quiet" icon="folder" onClick={onMove} />
              {selected.length === 1 && (
                <Button text="Rename" variant="quiet" icon="pencil" onClick={onRename} />
              )}
              <Button text="Delete" variant="quiet" icon="trash" onClick={onDelete} />
            </>
          )}
          <Button text="Clear" variant="quiet" onClick={onClear} />
        </>
      )}
      <span class="meta push">
        {isComplete ? countOf(count, 'entry', 'entries') : `${formatCount(count)}+ entries`}
      </span>
      {(count >= manyEntries || !isComplete) && (
        <>
          <IconButton icon="arrow-up" label="First entries" onClick={() => goToRow('first')} />
          <IconButton icon="arrow-down" label="Last entries" onClick={onEnd} />
        </>
      )}
    </footer>
  );
}
