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
          <Button variant="quiet" icon="download" onClick={onDownload}>
            Download
          </Button>
          {mayShare.value && canShare && (
            <Button variant="quiet" icon="link" onClick={onShare}>
              Share
            </Button>
          )}
          {mayPublish.value && canPublish && (
            <Button variant="quiet" icon="globe" onClick={() => onPublic?.(first?.name ?? '')}>
              Public
            </Button>
          )}
          {mayWrite.value && (
            <>
              <Button variant="quiet" icon="folder" onClick={onMove}>
                Move
              </Button>
              {selected.length === 1 && (
                <Button variant="quiet" icon="pencil" onClick={onRename}>
                  Rename
                </Button>
              )}
              <Button variant="quiet" icon="trash" onClick={onDelete}>
                Delete
              </Button>
            </>
          )}
          <Button variant="quiet" onClick={onClear}>
            Clear
          </Button>
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
