import { useSignal } from '@preact/signals';
import type { KeyDetails } from 'basedrive-client';
import { useEffect, useState } from 'preact/hooks';
import { client } from '../api/session.js';
import { Button } from '../ui/button.js';
import { confirm } from '../ui/confirm.js';
import { countOf } from '../ui/format.js';
import { ListScreen } from '../ui/list-screen.js';
import { tell } from '../ui/toast.js';
import { visible } from '../ui/visible.js';
import { KeyList } from './key-list.js';
import { NewKeyDialog } from './new-key-dialog.js';

const empty = {
  icon: 'key',
  title: 'No keys yet',
  verb: 'Make a key',
  text:
    'The keys with which the server was started are not listed. Give a page, a colleague or a program a key of its ' +
    'own, which may do less and can be revoked.',
} as const;

/** The keys of the project: who may do what, and until when. */
export function KeysScreen() {
  const keys = useSignal<readonly KeyDetails[] | undefined>(undefined);
  const failure = useSignal<unknown>(undefined);
  const [isAdding, setAdding] = useState(false);

  /** What the next page continues after; undefined when no more follow. */
  const last = useSignal<string | undefined>(undefined);
  const isReading = useSignal(false);

  async function read(after?: string): Promise<void> {
    failure.value = undefined;
    isReading.value = true;
    try {
      const page = await client().keys.page({ last: after });
      const before = after === undefined ? [] : (keys.value ?? []);
      keys.value = [...before, ...page.keys].sort(byName);
      last.value = page.paging?.last;
    } catch (cause) {
      failure.value = cause;
    } finally {
      isReading.value = false;
    }
  }
  useEffect(() => void read(), []);

  function askToDelete({ id, name }: KeyDetails): void {
    confirm({
      title: `Revoke ${name === undefined ? 'the key' : visible(name)}?`,
      text: 'Whoever uses it is refused at once. Links that it made end with it. This cannot be undone.',
      verb: 'Revoke',
      danger: true,
      act: async () => {
        await client().keys.delete(id);
        keys.value = keys.value?.filter((each) => each.id !== id);
        tell('Revoked');
      },
    });
  }

  const list = keys.value;
  return (
    <ListScreen
      title="Keys"
      count={countText(list?.length ?? 0, last.value)}
      length={list?.length}
      failure={failure.value}
      verb="New key"
      empty={empty}
      onAdd={() => setAdding(true)}
      onRetry={() => void read()}
      dialogs={isAdding && <NewKeyDialog onMade={() => void read()} onClose={() => setAdding(false)} />}
    >
      <KeyList keys={list ?? []} onDelete={askToDelete} />
      {last.value !== undefined && (
        <p class="list-end">
          <Button text="More keys" busy={isReading.value} onClick={() => void read(last.value)} />
        </p>
      )}
    </ListScreen>
  );
}

function countText(count: number, last: string | undefined): string {
  return last === undefined ? countOf(count, 'key') : `the first ${countOf(count, 'key')}`;
}

/** Names first, then keys without one. */
function byName(one: KeyDetails, other: KeyDetails): number {
  const [a, b] = [one.name ?? '\uffff', other.name ?? '\uffff'];
  return a === b ? one.created - other.created : a.localeCompare(b, 'en', { numeric: true });
}
