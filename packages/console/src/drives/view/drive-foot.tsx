import { mayPublish, mayShare, mayWrite } from '../../api/own-key.js';
import { goToRow } from '../../grid/grid.js';
import { Button, IconButton } from '../../ui/button.js';
import { countOf, formatCount } from '../../ui/format.js';
import { tellFailure } from '../../ui/toast.js';
import { downloadFile, downloadZip } from '../downloads/downloads.js';
import type { DriveView } from '../drive-view.js';
import type { Entry } from '../entry.js';
import { namesOf } from '../file-work.js';
import { readAll } from './folder-listing.js';

/** The limit of Create Links (docs/http.md#create-links). */
const maxLinks = 1000;
/** More do not fit on a page. */
const manyEntries = 50;

/** What can be done with the selected entries, and how many there are. */
export function DriveFoot({ view }: { readonly view: DriveView }) {
  const { drive, folder, open, actions, ask, showPublic } = view;
  const { listing, entries, selected, selection } = open;
  const isComplete = listing.state.value === 'complete';
  const toEnd = () => void readAll(listing).then(() => goToRow('last'), tellFailure);
  const canShare = selected.length <= maxLinks && selected.every(({ file }) => file !== undefined);
  const [first] = selected;
  const canPublish = selected.length === 1 && first?.file === undefined;
  return (
    <footer class="screen-foot wraps">
      {selected.length > 0 && (
        <>
          <span>{formatCount(selected.length)} selected</span>
          <Button
            text="Download"
            variant="quiet"
            icon="download"
            onClick={() => download(drive, folder, selected)}
          />
          {mayShare.value && canShare && (
            <Button
              text="Share"
              variant="quiet"
              icon="link"
              onClick={() => ask({ kind: 'share', names: namesOf(selected) })}
            />
          )}
          {mayPublish.value && canPublish && (
            <Button
              text="Public"
              variant="quiet"
              icon="globe"
              onClick={() => showPublic?.(first?.name ?? '')}
            />
          )}
          {mayWrite.value && (
            <>
              <Button text="Move" variant="quiet" icon="folder" onClick={() => view.move(selected)} />
              {selected.length === 1 && first !== undefined && (
                <Button text="Rename" variant="quiet" icon="pencil" onClick={() => view.rename(first)} />
              )}
              <Button
                text="Delete"
                variant="quiet"
                icon="trash"
                onClick={() => actions.askToDelete(selected)}
              />
            </>
          )}
          <Button text="Clear" variant="quiet" onClick={selection.clear} />
        </>
      )}
      <span class="meta push">
        {isComplete ? countOf(entries.length, 'entry', 'entries') : `${formatCount(entries.length)}+ entries`}
      </span>
      {(entries.length >= manyEntries || !isComplete) && (
        <>
          <IconButton icon="arrow-up" label="First entries" onClick={() => goToRow('first')} />
          <IconButton icon="arrow-down" label="Last entries" onClick={toEnd} />
        </>
      )}
    </footer>
  );
}

/** Saves one file as it is, and anything else as a zip. */
function download(drive: string, folder: string, chosen: readonly Entry[]): void {
  const [first] = chosen;
  if (chosen.length === 1 && first?.file !== undefined) downloadFile(drive, first);
  else downloadZip(drive, folder, chosen);
}
