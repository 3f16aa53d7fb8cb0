import { useEffect, useState } from 'preact/hooks';
import { mayPublish } from '../../api/own-key.js';
import { Button } from '../../ui/button.js';
import { CodeBlock } from '../../ui/copy.js';
import { Dialog } from '../../ui/dialog.js';
import { countOf } from '../../ui/format.js';
import { Problem } from '../../ui/problem.js';
import { LoadingRows } from '../../ui/states.js';
import { useTask } from '../../ui/task.js';
import { tell } from '../../ui/toast.js';
import { visible } from '../../ui/visible.js';
import { PathDialog } from '../names/path-dialog.js';
import {
  makePublic,
  type PublicPrefixes,
  publicAddress,
  publicOf,
  publicPrefixOf,
  readPublic,
  stopSharing,
} from './public-prefixes.js';

interface PublicProps {
  readonly drive: string;
  /** The folder that is offered: `site/`, or empty for none. */
  readonly folder: string;
  onClose(): void;
}

/** Which folders of a drive everybody can read, with their addresses; a folder is made public, or private again. */
export function PublicDialog({ drive, folder, onClose }: PublicProps) {
  const [text, setText] = useState(folder);
  const task = useTask();
  useEffect(() => void task.run(async () => void (await readPublic(drive))), [drive]);

  const known = publicOf(drive);
  const prefix = text === '' || text.endsWith('/') ? text : `${text}/`;
  const covering = prefix === '' ? undefined : publicPrefixOf(drive, prefix);
  const isOffered = prefix !== '' && covering === undefined;
  const seconds = countOf(known?.maxAge ?? 0, 'second');
  const share = () =>
    task.run(async () => {
      await makePublic(drive, prefix);
      focusField();
      tell(`${visible(prefix)} is public`);
    });
  const stop = (shared: string) =>
    task.run(async () => {
      await stopSharing(drive, shared);
      focusField();
      tell(`${visible(shared)} is not public any more. Caches may keep its files for ${seconds}.`);
    });

  const title = `Public files of ${visible(drive)}`;
  const list = (
    <PublicFolders
      drive={drive}
      known={known}
      hasFailed={task.problem !== ''}
      isBusy={task.busy}
      onStop={mayPublish.value ? (shared) => void stop(shared) : undefined}
    />
  );
  if (!mayPublish.value) {
    return (
      <Dialog title={title} onClose={onClose} actions={<Button text="Close" onClick={onClose} />}>
        <div class="stack">
          <Problem text={task.problem} />
          {list}
        </div>
      </Dialog>
    );
  }
  return (
    <PathDialog
      title={title}
      label="Folder to make public"
      hint={
        covering === undefined
          ? 'Anyone who knows the address can then read its files without a key, including files that are added later. A drive is never public as a whole.'
          : covering === prefix
            ? 'It is public.'
            : `It is public, as a part of ${visible(covering)}.`
      }
      value={text}
      task={task}
      verb="Make public"
      icon="globe"
      isReady={isOffered}
      back="Close"
      onText={setText}
      onAct={share}
      onClose={onClose}
    >
      {list}
    </PathDialog>
  );
}

/** The button that was pressed is gone, or off. */
function focusField(): void {
  document.querySelector<HTMLElement>('dialog[open] .dialog-body input')?.focus();
}

interface PublicFoldersProps {
  readonly drive: string;
  /** Undefined until it is read. */
  readonly known: PublicPrefixes | undefined;
  readonly hasFailed: boolean;
  readonly isBusy: boolean;
  /** Undefined if the key may not change it. */
  readonly onStop: ((prefix: string) => void) | undefined;
}

function PublicFolders({ drive, known, hasFailed, isBusy, onStop }: PublicFoldersProps) {
  return (
    <>
      <h3>Public folders</h3>
      {known === undefined ? (
        !hasFailed && <LoadingRows rows={2} />
      ) : known.prefixes.length === 0 ? (
        <p class="hint">None. Nobody can read a file of this drive without a key or a link.</p>
      ) : (
        <>
          <ul class="public-folders">
            {known.prefixes.map((prefix) => (
              <PublicFolder key={prefix} drive={drive} prefix={prefix} isBusy={isBusy} onStop={onStop} />
            ))}
          </ul>
          <p class="hint">
            Add the path of a file to the address. The address itself shows the file index.html. Scripts of a
            page do not run there.
          </p>
        </>
      )}
    </>
  );
}

interface PublicFolderProps extends Pick<PublicFoldersProps, 'drive' | 'isBusy' | 'onStop'> {
  readonly prefix: string;
}

function PublicFolder({ drive, prefix, isBusy, onStop }: PublicFolderProps) {
  const address = publicAddress(drive, prefix);
  const name = visible(prefix);
  return (
    <li class="public-folder">
      <div class="public-folder-head">
        <span class="mono">{name}</span>
        {onStop !== undefined && (
          <Button
            text="Stop sharing"
            aria-label={`Stop sharing ${name}`}
            disabled={isBusy}
            onClick={() => onStop(prefix)}
          />
        )}
      </div>
      {address === undefined ? (
        <p class="hint">Browsers cannot ask for this address: they remove a part that is a dot.</p>
      ) : (
        <CodeBlock code={address} label={`the address of ${name}`} isWrapped />
      )}
    </li>
  );
}
