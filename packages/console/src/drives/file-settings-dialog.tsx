import type { FileChanges } from 'basedrive-client';
import { useState } from 'preact/hooks';
import { PageError } from '../api/errors.js';
import { client } from '../api/session.js';
import { ActDialog } from '../ui/act-dialog.js';
import { formatTime } from '../ui/format.js';
import { SelectField } from '../ui/select.js';
import { useTask } from '../ui/task.js';
import { TextField } from '../ui/text-field.js';
import { tell } from '../ui/toast.js';
import type { Entry } from './entry.js';

interface FileSettingsProps {
  readonly drive: string;
  readonly entry: Entry;
  onChanged(): void;
  onClose(): void;
}

const day = 86_400;
/** After this many seconds. */
const later: readonly (readonly [string, string])[] = [
  ['3600', 'In an hour'],
  [`${day}`, 'In a day'],
  [`${7 * day}`, 'In a week'],
  [`${30 * day}`, 'In 30 days'],
  [`${365 * day}`, 'In a year'],
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
    <ActDialog
      title="Type and expiry"
      verb="Change"
      isForm
      isReady={!isSame}
      task={task}
      onAct={save}
      onClose={onClose}
    >
      <TextField
        label="Content type"
        class="input mono"
        value={type}
        onInput={(typed) => {
          setType(typed);
          task.clear();
        }}
      />
      <SelectField
        label="It expires"
        value={expiry}
        choices={expiryChoices(expires)}
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
    </ActDialog>
  );
}

/** When a file that expires at `expires` may expire instead. */
function expiryChoices(expires: number | undefined): readonly (readonly [string, string])[] {
  return [
    ['keep', expires === undefined ? 'Never, as now' : `${formatTime(expires)}, as now`],
    ...(expires === undefined ? [] : [['never', 'Never'] as const]),
    ...later,
    ['date', 'At a date and time'],
  ];
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
