import type { FileChanges } from 'basedrive-client';
import { useState } from 'preact/hooks';
import { PageError } from '../api/errors.js';
import { client } from '../api/session.js';
import { Button } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { formatTime } from '../ui/format.js';
import { Problem } from '../ui/problem.js';
import { useTask } from '../ui/task.js';
import { tell } from '../ui/toast.js';
import type { Entry } from './entry.js';

interface FileSettingsProps {
  readonly drive: string;
  readonly entry: Entry;
  onChanged(): void;
  onClose(): void;
}

const day = 86_400;
const later: readonly (readonly [string, number])[] = [
  ['In an hour', 3600],
  ['In a day', day],
  ['In a week', 7 * day],
  ['In 30 days', 30 * day],
  ['In a year', 365 * day],
];

/** Changes the content type of a file, and when it expires: docs/http.md#change-file */
export function FileSettingsDialog({ drive, entry, onChanged, onClose }: FileSettingsProps) {
  const { content_type = '', expires } = entry.file ?? {};
  const [type, setType] = useState(content_type);
  const [expiry, setExpiry] = useState('keep');
  const [date, setDate] = useState('');
  const task = useTask();
  const isSame = type === content_type && expiry === 'keep';

  const save = () =>
    task.run(async () => {
      const changes: FileChanges = {
        ...(type === content_type ? {} : { contentType: type }),
        ...(expiry === 'keep' ? {} : expiryOf(expiry, date)),
      };
      if ((await client().Drive(drive).change(entry.name, changes)) === null)
        throw new PageError('The file is gone.');
      onChanged();
      onClose();
      tell('Changed');
    });

  return (
    <Dialog
      title="Type and expiry"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" busy={task.busy} disabled={isSame} onClick={() => void save()}>
            Change
          </Button>
        </>
      }
    >
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isSame && !task.busy) void save();
        }}
      >
        <label class="field">
          <span>Content type</span>
          <input
            class="input mono"
            value={type}
            autocomplete="off"
            spellcheck={false}
            onInput={(event) => {
              setType(event.currentTarget.value);
              task.clear();
            }}
          />
        </label>
        <ExpiryChoice
          expires={expires}
          chosen={expiry}
          onChoose={(choice) => {
            setExpiry(choice);
            task.clear();
          }}
        />
        {expiry === 'date' && (
          <label class="field">
            <span>Date and time, here</span>
            <input
              class="input"
              type="datetime-local"
              value={date}
              onInput={(event) => {
                setDate(event.currentTarget.value);
                task.clear();
              }}
            />
          </label>
        )}
        <p class="hint">When a file expires, the service deletes it.</p>
        {/* Enter in a field changes the file. */}
        <button type="submit" hidden aria-hidden="true" tabIndex={-1} />
        <Problem text={task.problem} />
      </form>
    </Dialog>
  );
}

interface ExpiryChoiceProps {
  /** When the file expires now. */
  readonly expires: number | undefined;
  readonly chosen: string;
  onChoose(choice: string): void;
}

function ExpiryChoice({ expires, chosen, onChoose }: ExpiryChoiceProps) {
  return (
    <label class="field">
      <span>It expires</span>
      <select class="input" value={chosen} onChange={(event) => onChoose(event.currentTarget.value)}>
        <option value="keep">
          {expires === undefined ? 'Never, as now' : `${formatTime(expires)}, as now`}
        </option>
        {expires !== undefined && <option value="never">Never</option>}
        {later.map(([text, seconds]) => (
          <option key={text} value={seconds}>
            {text}
          </option>
        ))}
        <option value="date">At a date and time</option>
      </select>
    </label>
  );
}

/** When the file expires, as the form says. */
function expiryOf(choice: string, date: string): FileChanges {
  if (choice === 'never') return { expireAt: null };
  if (choice !== 'date') return { expireIn: Number(choice) };
  const expireAt = new Date(date);
  if (Number.isNaN(expireAt.getTime())) throw new PageError('Choose a date and a time.');
  if (expireAt.getTime() <= Date.now()) throw new PageError('The date has passed. Delete the file instead.');
  return { expireAt };
}
