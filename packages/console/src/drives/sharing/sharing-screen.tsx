import { useEffect, useState } from 'preact/hooks';
import { drives } from '../../api/catalog.js';
import { mayPublish, seesPublic } from '../../api/own-key.js';
import { addressOf } from '../../router.js';
import { Button, IconButton } from '../../ui/button.js';
import { confirm } from '../../ui/confirm.js';
import { copyText } from '../../ui/copy.js';
import { formatFromNow, formatTime } from '../../ui/format.js';
import { ErrorState, LoadingRows } from '../../ui/states.js';
import { tell } from '../../ui/toast.js';
import { visible } from '../../ui/visible.js';
import { isValid, type MadeLink, madeLinks } from './made-links.js';
import { publicAddress, publicOf, readPublic, stopSharing } from './public-prefixes.js';

/** Everything of the project that can be read without a key, as far as it is known. */
export function SharingScreen() {
  return (
    <div class="screen scrolls">
      <div class="page">
        <header class="page-head">
          <h1>Shared</h1>
        </header>
        {seesPublic.value && <PublicFolders />}
        <MadeLinks />
      </div>
    </div>
  );
}

function PublicFolders() {
  const { names, hasRead, failure, retry } = useAllPublic();
  const folders = names.flatMap((drive) =>
    (publicOf(drive)?.prefixes ?? []).map((prefix) => ({
      drive,
      prefix,
      address: publicAddress(drive, prefix),
    })),
  );
  return (
    <section class="panel" aria-label="Public folders">
      <h2>Public folders</h2>
      {failure !== undefined ? (
        <ErrorState cause={failure} onRetry={retry} />
      ) : folders.length === 0 ? (
        hasRead ? (
          <p class="hint">None. Nobody can read a file of this project without a key or a link.</p>
        ) : (
          <LoadingRows rows={2} />
        )
      ) : (
        <ul class="shared-list">
          {folders.map(({ drive, prefix, address }) => (
            <li key={`${drive}/${prefix}`} class="shared-row">
              <FileAddress drive={drive} name={prefix} folder={prefix} />
              <span class="meta">Everybody who knows the address</span>
              <span class="row push">
                {address !== undefined && (
                  <IconButton
                    icon="copy"
                    label={`Copy the address of ${visible(prefix)}`}
                    onClick={() => void copyText(address).then(() => tell('Copied the address'))}
                  />
                )}
                {mayPublish.value && (
                  <Button
                    aria-label={`Stop sharing ${visible(prefix)} of ${visible(drive)}`}
                    onClick={() => askToStop(drive, prefix)}
                  >
                    Stop sharing
                  </Button>
                )}
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function askToStop(drive: string, prefix: string): void {
  confirm({
    title: `Stop sharing ${visible(prefix)}?`,
    text: `Files of ${visible(drive)} below it need a key or a link again. Caches may keep them for a while.`,
    verb: 'Stop sharing',
    act: async () => {
      await stopSharing(drive, prefix);
      tell(`${visible(prefix)} is not public any more`);
    },
  });
}

function MadeLinks() {
  const links = madeLinks.value.filter(isValid);
  return (
    <section class="panel" aria-label="Links">
      <h2>Links</h2>
      <p class="hint">
        Those that were made in this tab. The service keeps no list of links: each is signed, and works until
        its time is over or the key that made it is revoked.
      </p>
      {links.length > 0 && (
        <ul class="shared-list">
          {links.map((link) => (
            <LinkRow key={link.url} link={link} />
          ))}
        </ul>
      )}
    </section>
  );
}

function LinkRow({ link: { drive, name, url, expires } }: { readonly link: MadeLink }) {
  const folder = name.replace(/[^/]*$/, '');
  return (
    <li class="shared-row">
      <FileAddress drive={drive} name={name} folder={folder} file={name} />
      <span class="meta" title={formatTime(expires)}>
        ends {formatFromNow(expires)}
      </span>
      <span class="row push">
        <IconButton
          icon="copy"
          label={`Copy the link to ${visible(name)}`}
          onClick={() => void copyText(url).then(() => tell('Copied the link'))}
        />
      </span>
    </li>
  );
}

interface FileAddressProps {
  readonly drive: string;
  readonly name: string;
  readonly folder: string;
  readonly file?: string;
}

function FileAddress({ drive, name, folder, file = '' }: FileAddressProps) {
  return (
    <a class="clip mono" href={addressOf({ screen: 'drives', name: drive, parameters: { folder, file } })}>
      <span class="entry-below">{visible(drive)}/</span>
      {visible(name)}
    </a>
  );
}

/** Reads what is public of every drive whose name is known, and of those whose names are read later. */
function useAllPublic() {
  const names = drives.names.value;
  const state = drives.state.value;
  const [attempt, setAttempt] = useState(0);
  const [found, setFound] = useState<{ readonly of?: readonly string[]; readonly failure?: unknown }>({});
  useEffect(() => {
    // All names, however many.
    if (state === 'more') void drives.more();
    const ended = new AbortController();
    const read = async () => {
      for (const drive of names) await readPublic(drive, ended.signal);
      setFound({ of: names });
    };
    read().catch((failure) => {
      if (!ended.signal.aborted) setFound({ failure });
    });
    return () => ended.abort();
  }, [names, state, attempt]);
  return {
    names,
    hasRead: found.of === names && state === 'complete',
    failure: found.failure ?? (state === 'failed' ? drives.failure.value : undefined),
    retry: () => {
      void drives.reload();
      setAttempt((count) => count + 1);
    },
  };
}
