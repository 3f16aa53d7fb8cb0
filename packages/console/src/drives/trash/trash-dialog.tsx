import type { TrashedFile } from 'basedrive-client';
import { useEffect, useRef, useState } from 'preact/hooks';
import { statusOf } from '../../api/errors.js';
import { mayShare } from '../../api/own-key.js';
import { client } from '../../api/session.js';
import { Button } from '../../ui/button.js';
import { confirm } from '../../ui/confirm.js';
import { Dialog } from '../../ui/dialog.js';
import { countOf } from '../../ui/format.js';
import { Problem } from '../../ui/problem.js';
import { ErrorState, LoadingRows } from '../../ui/states.js';
import { useTask } from '../../ui/task.js';
import { tell } from '../../ui/toast.js';
import { visible } from '../../ui/visible.js';
import { TrashRow } from './trash-row.js';
import { TrashSettings } from './trash-settings.js';

interface TrashDialogProps {
  readonly drive: string;
  /** Only files whose names begin so: empty for all, a whole name for the versions of a file. */
  readonly prefix: string;
  /** Files have come back. */
  onRestored(names: readonly string[]): void;
  onClose(): void;
}

const shownAtOnce = 100;

/** What was deleted and overwritten of a drive, the newest first, to bring it back. */
export function TrashDialog({ drive, prefix, onRestored, onClose }: TrashDialogProps) {
  const { files, hasMore, failure, more, without, retry } = useTrashed(drive, prefix);
  const task = useTask();
  const [taken, setTaken] = useState<TrashedFile | undefined>(undefined);

  const restore = (file: TrashedFile, isReplacing: boolean) =>
    task.run(async () => {
      setTaken(undefined);
      try {
        await client()
          .Drive(drive)
          .restore([{ id: file.id }], { overwrite: isReplacing });
      } catch (cause) {
        // Somebody has stored a file of the name since.
        if (statusOf(cause) === 409) setTaken(file);
        throw cause;
      }
      // What it has replaced is in the trash now.
      if (isReplacing) retry();
      else without(file);
      onRestored([file.name]);
      tell(`${visible(file.name)} is back`);
    });
  const empty = () =>
    confirm({
      title: `Empty the trash of ${visible(drive)}?`,
      text: 'Everything in it is then gone for good. This cannot be undone.',
      verb: 'Empty the trash',
      danger: true,
      typed: 'empty',
      async act() {
        const count = await client().Drive(drive).emptyTrash();
        tell(`Deleted ${countOf(count, 'file')} for good`);
        retry();
      },
    });

  return (
    <Dialog
      title={prefix === '' ? `Trash of ${visible(drive)}` : `Earlier versions of ${visible(prefix)}`}
      form="wide"
      isText
      onClose={onClose}
      actions={
        <>
          {mayShare.value && prefix === '' && files !== undefined && files.length > 0 && (
            <Button text="Empty the trash" icon="trash" onClick={empty} />
          )}
          <Button text="Done" variant="primary" onClick={onClose} />
        </>
      }
    >
      <div class="stack">
        <TrashSettings drive={drive} />
        <Problem text={task.problem} />
        {taken !== undefined && (
          <Button
            text="Replace the file that has the name now"
            busy={task.busy}
            onClick={() => void restore(taken, true)}
          />
        )}
        {failure === undefined ? (
          <FileList
            {...{ files, prefix }}
            isBusy={task.busy}
            onRestore={(file) => void restore(file, false)}
          />
        ) : (
          <ErrorState cause={failure} onRetry={retry} />
        )}
        {hasMore && <Button text="Show more" variant="quiet" onClick={() => void more()} />}
      </div>
    </Dialog>
  );
}

interface FileListProps {
  /** Undefined until they are read. */
  readonly files: readonly TrashedFile[] | undefined;
  readonly prefix: string;
  readonly isBusy: boolean;
  onRestore(file: TrashedFile): void;
}

function FileList({ files, prefix, isBusy, onRestore }: FileListProps) {
  if (files === undefined) return <LoadingRows rows={4} />;
  if (files.length === 0) return <p>{prefix === '' ? 'The trash is empty.' : 'There are none.'}</p>;
  return (
    <ul class="trash-list" aria-label="Files in the trash">
      {files.map((file) => (
        <TrashRow key={file.id} file={file} isBusy={isBusy} onRestore={() => onRestore(file)} />
      ))}
    </ul>
  );
}

/** Reads the trash as far as it is shown. */
function useTrashed(drive: string, prefix: string) {
  const [attempt, setAttempt] = useState(0);
  const [files, setFiles] = useState<readonly TrashedFile[] | undefined>(undefined);
  const [hasMore, setHasMore] = useState(false);
  const [failure, setFailure] = useState<unknown>(undefined);
  const source = useRef<AsyncGenerator<TrashedFile, void, undefined> | undefined>(undefined);

  async function readSome(from: AsyncGenerator<TrashedFile, void, undefined>): Promise<void> {
    const found: TrashedFile[] = [];
    let isAll = false;
    while (found.length < shownAtOnce && !isAll) {
      const next = await from.next();
      // A file of the name, not one whose name begins so.
      if (next.done) isAll = true;
      else if (prefix === '' || next.value.name === prefix) found.push(next.value);
    }
    if (source.current !== from) return;
    setFiles((before) => [...(before ?? []), ...found]);
    setHasMore(!isAll);
  }

  useEffect(() => {
    const ended = new AbortController();
    const from = client().Drive(drive).trash({ prefix, signal: ended.signal });
    source.current = from;
    setFiles(undefined);
    setFailure(undefined);
    setHasMore(false);
    readSome(from).catch((cause) => {
      if (!ended.signal.aborted) setFailure(cause);
    });
    return () => ended.abort();
  }, [drive, prefix, attempt]);

  return {
    files,
    hasMore,
    failure,
    more: () => (source.current === undefined ? undefined : readSome(source.current).catch(setFailure)),
    without: (gone: TrashedFile) => setFiles((before) => before?.filter(({ id }) => id !== gone.id)),
    retry: () => setAttempt((count) => count + 1),
  };
}
