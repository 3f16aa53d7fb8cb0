import type { FileLink } from 'basedrive-client';
import { useState } from 'preact/hooks';
import { requestText } from '../../api/request.js';
import { ActDialog } from '../../ui/act-dialog.js';
import { Button } from '../../ui/button.js';
import { CheckField } from '../../ui/check-field.js';
import { CodeBlock, copyText } from '../../ui/copy.js';
import { Dialog } from '../../ui/dialog.js';
import { countOf, formatTime } from '../../ui/format.js';
import { useTask } from '../../ui/task.js';
import { visible } from '../../ui/visible.js';
import { firstLifetime, LifetimeField, secondsOf } from './lifetime.js';

interface ShareProps {
  readonly drive: string;
  readonly names: readonly string[];
  onClose(): void;
}

/** Makes links with which files can be read without a key, and shows them to copy. */
export function ShareDialog({ drive, names, onClose }: ShareProps) {
  const [lifetime, setLifetime] = useState(firstLifetime);
  const [saves, setSaves] = useState(false);
  const [links, setLinks] = useState<readonly FileLink[] | undefined>(undefined);
  const task = useTask();

  const create = () =>
    task.run(async () => {
      const body = JSON.stringify({
        names,
        method: 'GET',
        expires_in: secondsOf(lifetime, Date.now()),
        disposition: saves ? 'attachment' : 'inline',
        listed: true,
      });
      const answer = await requestText('POST', `/${encodeURIComponent(drive)}/links`, { body });
      setLinks((JSON.parse(answer) as { links: FileLink[] }).links);
    });

  const title =
    names.length === 1 ? `Share ${visible(names[0] ?? '')}` : `Share ${countOf(names.length, 'file')}`;
  const [first] = links ?? [];
  if (links !== undefined && first !== undefined) {
    return (
      <Dialog
        title={title}
        onClose={onClose}
        actions={<LinkActions urls={links.map(({ url }) => url)} onClose={onClose} />}
      >
        <div class="stack">
          <CodeBlock
            code={links.map(({ url }) => url).join('\n')}
            label={links.length === 1 ? 'the link' : 'the links'}
          />
          <p class="hint">
            Whoever has {links.length === 1 ? 'it' : 'a link'} can read{' '}
            {links.length === 1 ? 'the file' : 'its file'} until {formatTime(first.expires)}, or until the
            link is ended under Shared, or the key that you signed in with is revoked.
          </p>
        </div>
      </Dialog>
    );
  }
  return (
    <ActDialog
      title={title}
      verb={names.length === 1 ? 'Make a link' : 'Make links'}
      icon="link"
      task={task}
      onAct={create}
      onClose={onClose}
    >
      <LifetimeField
        value={lifetime}
        onChange={(value) => {
          setLifetime(value);
          task.clear();
        }}
      />
      <CheckField
        class="choice"
        text="The browser saves the file instead of showing it"
        checked={saves}
        onChange={setSaves}
      />
    </ActDialog>
  );
}

/** What is done with links that were made. */
function LinkActions({ urls, onClose }: { readonly urls: readonly string[]; onClose(): void }) {
  const [isCopied, setCopied] = useState(false);
  const [url] = urls;
  return (
    <>
      <Button text="Done" onClick={onClose} />
      {urls.length === 1 && (
        <Button text="Open" onClick={() => void window.open(url, '_blank', 'noopener')} />
      )}
      <Button
        text={isCopied ? 'Copied' : urls.length === 1 ? 'Copy the link' : 'Copy the links'}
        variant="primary"
        icon={isCopied ? 'check' : 'copy'}
        onClick={() => void copyText(urls.join('\n')).then(setCopied)}
      />
    </>
  );
}
