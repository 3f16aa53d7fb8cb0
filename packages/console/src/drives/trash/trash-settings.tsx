import { Problem } from '../../ui/problem.js';
import { SelectField } from '../../ui/select.js';
import { useTask } from '../../ui/task.js';
import { maySetTrash, setTrash, timeText, trashOf } from './trash-setting.js';

const off = '0s';
const times: readonly string[] = ['1d', '7d', '30d', '90d', '365d'];

/** How long the drive keeps what is deleted or overwritten, to see and to set. */
export function TrashSettings({ drive }: { readonly drive: string }) {
  const { busy, problem, run } = useTask();
  const trash = trashOf(drive);
  if (trash === undefined) return null;
  const now = trash ?? off;
  const choices = times.includes(now) || now === off ? times : [now, ...times];
  if (!maySetTrash()) {
    return (
      <p class="hint">
        {trash === null ? 'This drive keeps nothing that is deleted.' : `Kept for ${timeText(trash)}.`}
      </p>
    );
  }
  return (
    <>
      <SelectField
        label="What is deleted or overwritten from now on"
        value={now}
        disabled={busy}
        choices={[
          [off, 'is gone for good'],
          ...choices.map((time) => [time, `can come back for ${timeText(time)}`] as const),
        ]}
        onChoose={(time) => void run(() => setTrash(drive, time))}
      />
      <Problem text={problem} />
    </>
  );
}
