import { mayPublish, mayShare, seesPublic } from '../../api/own-key.js';
import { Button, IconButton } from '../../ui/button.js';
import { confirm } from '../../ui/confirm.js';
import { copyText } from '../../ui/copy.js';
import { ErrorState, LoadingRows } from '../../ui/states.js';
import { tell } from '../../ui/toast.js';
import { visible } from '../../ui/visible.js';
import { useEachDrive } from './each-drive.js';
import { FileAddress } from './file-address.js';
import { ListedLinks } from './listed-links.js';
import { publicAddress, publicOf, readPublic, stopSharing } from './public-prefixes.js';

/** Everything of the project that can be read or stored without a key. */
export function SharingScreen() {
  return (
    <div class="screen scrolls">
      <div class="page">
        <header class="page-head">
          <h1>Shared</h1>
        </header>
        {seesPublic.value && <PublicFolders />}
        {mayShare.value && <ListedLinks />}
      </div>
    </div>
  );
}

function PublicFolders() {
  const { names, hasRead, failure, retry } = useEachDrive(readPublic);
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
                    onClick={() => void copyText(address, 'Copied the address')}
                  />
                )}
                {mayPublish.value && (
                  <Button
                    text="Stop sharing"
                    aria-label={`Stop sharing ${visible(prefix)} of ${visible(drive)}`}
                    onClick={() => askToStop(drive, prefix)}
                  />
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
