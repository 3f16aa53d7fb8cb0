import { Problem } from '../../ui/problem.js';
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
      <label class="field">
        <span>What is deleted or overwritten from now on</span>
        <select
          class="input"
          value={now}
          disabled={busy}
          onChange={({ currentTarget }) => void run(() => setTrash(drive, currentTarget.value))}
        >
          <option value={off}>is gone for good</option>
          {choices.map((time) => (
            <option key={time} value={time}>
              can come back for {timeText(time)}
            </option>
          ))}
        </select>
      </label>
      <Problem text={problem} />
    </>
  );
}
