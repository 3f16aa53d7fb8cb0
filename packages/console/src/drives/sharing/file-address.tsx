import { addressOf } from '../../router.js';
import { visible } from '../../ui/visible.js';

interface FileAddressProps {
  readonly drive: string;
  readonly name: string;
  readonly folder: string;
  readonly file?: string;
}

/** The name of a file or a folder with its drive, which leads to where it is. */
export function FileAddress({ drive, name, folder, file = '' }: FileAddressProps) {
  return (
    <a class="clip mono" href={addressOf({ screen: 'drives', name: drive, parameters: { folder, file } })}>
      <span class="entry-below">{visible(drive)}/</span>
      {visible(name)}
    </a>
  );
}
