import { signal } from '@preact/signals';
import { client, key } from '../../api/session.js';
import { countOf, formatBytes } from '../../ui/format.js';
import { tellFailure } from '../../ui/toast.js';
import { visible } from '../../ui/visible.js';

interface FolderSum {
  readonly files: number;
  readonly bytes: number;
  readonly isWhole: boolean;
}

/** By drive and folder. Sums are forgotten with the folder that shows them: files come and go. */
const sums = signal<ReadonlyMap<string, FolderSum>>(new Map());

const idOf = (drive: string, folder: string) => JSON.stringify([drive, folder]);

/** Forgets the sums that were asked for. */
export function forgetFolderSizes(): void {
  sums.value = new Map();
}

/** The size of all files of a folder and below it, once somebody asks for it: the service has to read every name. */
export function FolderSize({ drive, folder }: { readonly drive: string; readonly folder: string }) {
  const sum = sums.value.get(idOf(drive, folder));
  if (sum !== undefined) {
    return (
      <span title={countOf(sum.files, 'file')}>
        {formatBytes(sum.bytes)}
        {sum.isWhole ? '' : ' …'}
      </span>
    );
  }
  return (
    <button
      type="button"
      class="folder-size"
      tabIndex={-1}
      aria-label={`Add up the size of ${visible(folder)}`}
      title="Add up the files in it"
      onClick={() => void addUp(drive, folder).catch(tellFailure)}
    >
      Add up
    </button>
  );
}

async function addUp(drive: string, folder: string): Promise<void> {
  const id = idOf(drive, folder);
  const asked = key.peek();
  let sum: FolderSum = { files: 0, bytes: 0, isWhole: false };
  let last: string | undefined;
  try {
    do {
      sums.value = new Map(sums.peek()).set(id, sum);
      const page = await client()
        .Drive(drive)
        .list({ prefix: folder, details: true, ...(last === undefined ? {} : { last }) });
      // Somebody has gone elsewhere.
      if (key.peek() !== asked || sums.peek().get(id) !== sum) return;
      const files = page.files ?? [];
      const bytes = files.reduce((all, { size = 0 }) => all + size, sum.bytes);
      last = page.paging?.last;
      sum = { files: sum.files + files.length, bytes, isWhole: last === undefined };
    } while (last !== undefined);
    sums.value = new Map(sums.peek()).set(id, sum);
  } catch (cause) {
    sums.value = new Map([...sums.peek()].filter(([other]) => other !== id));
    throw cause;
  }
}
