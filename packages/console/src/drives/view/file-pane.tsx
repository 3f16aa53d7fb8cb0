import { Fragment } from 'preact';
import { mayShare, mayWrite } from '../../api/own-key.js';
import { Button, IconButton } from '../../ui/button.js';
import { copyText } from '../../ui/copy.js';
import { Dialog } from '../../ui/dialog.js';
import { formatBytes, formatCount, formatFromNow, formatTime } from '../../ui/format.js';
import { isPhone } from '../../ui/media.js';
import { Menu, MenuItem } from '../../ui/menu.js';
import { visible } from '../../ui/visible.js';
import { downloadFile } from '../downloads/downloads.js';
import type { DriveView } from '../drive-view.js';
import type { Entry, FileFacts } from '../entry.js';
import { publicAddress, publicPrefixOf } from '../sharing/public-prefixes.js';
import { Preview } from './preview.js';

interface FilePaneProps {
  readonly view: DriveView;
  readonly entry: Entry;
}

/** A file next to its folder: preview, facts, and what can be done with it. On a phone it is a dialog. */
export function FilePane({ view, entry }: FilePaneProps) {
  const onClose = view.steps.closeFile;
  const title = visible(entry.label);
  const steps = <FileSteps view={view} entry={entry} />;
  if (isPhone.value) {
    return (
      <Dialog title={title} tools={steps} onClose={onClose}>
        <FileContent view={view} entry={entry} />
      </Dialog>
    );
  }
  return (
    <aside class="pane" aria-label={title}>
      <header class="pane-head">
        <h2 class="clip" title={title}>
          {title}
        </h2>
        <span class="row">
          {steps}
          <IconButton icon="x" label="Close the file" onClick={onClose} />
        </span>
      </header>
      <div class="pane-body">
        <FileContent view={view} entry={entry} />
      </div>
    </aside>
  );
}

/** Buttons that open the file before this one, and the one after it. */
function FileSteps({ view: { steps }, entry }: FilePaneProps) {
  const [before, after] = [steps.stepFrom(entry, -1), steps.stepFrom(entry, 1)];
  return (
    <>
      <IconButton icon="arrow-up" label="Previous file" disabled={before === undefined} onClick={before} />
      <IconButton icon="arrow-down" label="Next file" disabled={after === undefined} onClick={after} />
    </>
  );
}

function FileContent({ view, entry }: FilePaneProps) {
  const { drive } = view;
  const { file, name } = entry;
  if (file === undefined) return null;
  const address = publicPrefixOf(drive, name) === undefined ? undefined : publicAddress(drive, name);
  return (
    <div class="stack">
      <Preview drive={drive} entry={entry} />
      <div class="row wraps">
        <Button text="Download" icon="download" onClick={() => downloadFile(drive, entry)} />
        {mayShare.value && (
          <Button text="Share" icon="link" onClick={() => view.ask({ kind: 'share', names: [name] })} />
        )}
        <MoreMenu view={view} entry={entry} address={address} />
      </div>
      <dl class="facts">
        <dt>Name</dt>
        <dd class="mono">{visible(name)}</dd>
        <dt>Size</dt>
        <dd>
          {formatBytes(file.size)}
          {file.size < 1024 ? '' : ` (${formatCount(file.size)} bytes)`}
        </dd>
        <dt>Type</dt>
        <dd>{visible(file.content_type)}</dd>
        <dt>Modified</dt>
        <dd>{formatTime(file.modified)}</dd>
        {file.expires !== undefined && (
          <>
            <dt>Expires</dt>
            <dd>
              {formatTime(file.expires)}, {formatFromNow(file.expires)}
            </dd>
          </>
        )}
        {address !== undefined && (
          <>
            <dt>Public at</dt>
            <dd class="mono">
              <a href={address} target="_blank" rel="noopener noreferrer">
                {address}
              </a>
            </dd>
          </>
        )}
        <dt>ETag</dt>
        <dd class="mono">{file.etag}</dd>
        <NotedFacts file={file} />
      </dl>
    </div>
  );
}

interface MoreMenuProps extends FilePaneProps {
  /** The public address of the file; undefined if it is not public. */
  readonly address: string | undefined;
}

function MoreMenu({ view, entry, address }: MoreMenuProps) {
  const { name } = entry;
  return (
    <Menu label="More about the file">
      <MenuItem text="Copy the name" icon="copy" onChoose={() => void copyText(name, 'Copied the name')} />
      {address !== undefined && (
        <MenuItem
          text="Copy the public address"
          icon="globe"
          onChoose={() => void copyText(address, 'Copied the public address')}
        />
      )}
      {mayWrite.value && (
        <>
          <MenuItem text="Rename" icon="pencil" onChoose={() => view.rename(entry)} />
          <MenuItem
            text="Type and expiry"
            icon="clock"
            onChoose={() => view.ask({ kind: 'settings', entry })}
          />
          <MenuItem
            text="Earlier versions"
            icon="revert"
            onChoose={() => view.ask({ kind: 'trash', prefix: name })}
          />
          <MenuItem text="Delete" icon="trash" danger onChoose={() => view.actions.askToDelete([entry])} />
        </>
      )}
    </Menu>
  );
}

/** The metadata of the file, and what S3 clients have stored with it (docs/http.md#file-details). */
function NotedFacts({ file: { headers, metadata, md5, checksum } }: { readonly file: FileFacts }) {
  const facts = [
    ...Object.entries(headers ?? {}),
    ...Object.entries(metadata ?? {}),
    ...(md5 === undefined ? [] : [['MD5', md5] as const]),
    ...(checksum === undefined ? [] : [[checksum.algorithm, checksum.value] as const]),
  ];
  return facts.map(([name, value]) => (
    <Fragment key={name}>
      <dt>{visible(name)}</dt>
      <dd class="mono">{visible(value)}</dd>
    </Fragment>
  ));
}
