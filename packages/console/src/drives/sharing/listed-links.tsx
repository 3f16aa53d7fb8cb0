import type { ListedFileLink } from 'basedrive-client';
import { useState } from 'preact/hooks';
import { client } from '../../api/session.js';
import { Button, IconButton } from '../../ui/button.js';
import { confirm } from '../../ui/confirm.js';
import { copyText } from '../../ui/copy.js';
import { formatBytes, formatFromNow, formatTime } from '../../ui/format.js';
import { ErrorState, LoadingRows } from '../../ui/states.js';
import { tell } from '../../ui/toast.js';
import { visible } from '../../ui/visible.js';
import { useEachDrive } from './each-drive.js';
import { FileAddress } from './file-address.js';

interface DriveLink extends ListedFileLink {
  readonly drive: string;
}

/** More would fill the page and nobody's need. */
const maxShown = 1000;

/** The links of all drives that can be ended: those of this console, and those that programs made with `listed`. */
export function ListedLinks() {
  const [byDrive, setByDrive] = useState<ReadonlyMap<string, readonly DriveLink[]>>(new Map());
  const { names, hasRead, failure, retry } = useEachDrive(async (drive, signal) => {
    const links: DriveLink[] = [];
    for await (const link of client().Drive(drive).listLinks({ signal })) {
      links.push({ ...link, drive });
      if (links.length === maxShown) break;
    }
    setByDrive((before) => new Map(before).set(drive, links));
  });
  const all = names.flatMap((drive) => byDrive.get(drive) ?? []);
  const links = all.toSorted((a, b) => b.created - a.created).slice(0, maxShown);
  const forget = ({ drive, id }: DriveLink) =>
    setByDrive((before) =>
      new Map(before).set(
        drive,
        (before.get(drive) ?? []).filter((other) => other.id !== id),
      ),
    );
  return (
    <section class="panel" aria-label="Links">
      <h2>Links</h2>
      {failure !== undefined ? (
        <ErrorState cause={failure} onRetry={retry} />
      ) : links.length > 0 ? (
        <ul class="shared-list">
          {links.map((link) => (
            <LinkRow key={link.id} link={link} onEnded={() => forget(link)} />
          ))}
        </ul>
      ) : hasRead ? (
        <p class="hint">
          None. Links that programs made without <code>listed</code> are in no list.
        </p>
      ) : (
        <LoadingRows rows={2} />
      )}
      {all.length > maxShown && <p class="hint">The newest {maxShown} are shown.</p>}
    </section>
  );
}

function LinkRow({ link, onEnded }: { readonly link: DriveLink; onEnded(): void }) {
  const { drive, name, url, expires, method, max_bytes: maxBytes } = link;
  const folder = name.replace(/[^/]*$/, '');
  const use = method === 'GET' ? 'download' : `upload, up to ${formatBytes(maxBytes ?? 0)}`;
  return (
    <li class="shared-row">
      <FileAddress drive={drive} name={name} folder={folder} file={name} />
      <span class="meta" title={formatTime(expires)}>
        {use}, ends {formatFromNow(expires)}
      </span>
      <span class="row push">
        {url !== undefined && (
          <IconButton
            icon="copy"
            label={`Copy the link to ${visible(name)}`}
            onClick={() => void copyText(url, 'Copied the link')}
          />
        )}
        <Button
          text="End"
          aria-label={`End the link to ${visible(name)}`}
          onClick={() => askToEnd(link, onEnded)}
        />
      </span>
    </li>
  );
}

function askToEnd({ drive, id, name }: DriveLink, onEnded: () => void): void {
  confirm({
    title: `End the link to ${visible(name)}?`,
    text: 'Whoever has it cannot use it any more. Other links to the file go on.',
    verb: 'End the link',
    act: async () => {
      await client().Drive(drive).endLink(id);
      onEnded();
      tell(`The link to ${visible(name)} has ended`);
    },
  });
}
