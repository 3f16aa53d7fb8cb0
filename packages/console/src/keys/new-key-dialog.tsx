import type { Access, CreateKeyResponse, NewKey } from 'basedrive-client';
import { useState } from 'preact/hooks';
import { bases as knownBases, drives as knownDrives } from '../api/catalog.js';
import { client } from '../api/session.js';
import { ActDialog } from '../ui/act-dialog.js';
import { CheckField } from '../ui/check-field.js';
import { CodeBlock } from '../ui/copy.js';
import { RadioChoice } from '../ui/radio-choice.js';
import { SelectField } from '../ui/select.js';
import { ShownOnce } from '../ui/shown-once.js';
import { useTask } from '../ui/task.js';
import { TextField } from '../ui/text-field.js';
import { NamesField } from './names-field.js';
import { S3Credentials } from './s3-credentials.js';
import { reachText, splitNames } from './scope-text.js';

interface NewKeyProps {
  onMade(): void;
  onClose(): void;
}

const accesses: readonly (readonly [Access, string])[] = [
  ['read', 'Read: look at items and files'],
  ['write', 'Write: also store, change and delete them'],
  ['full', 'Full: also empty bases and drives, make links and, without other limits, keys'],
];
const day = 86_400;
/** The seconds after which a key may end; empty for never. */
const lifetimes: readonly (readonly [string, string])[] = [
  ['', 'Never'],
  [`${day}`, 'In a day'],
  [`${7 * day}`, 'In a week'],
  [`${30 * day}`, 'In 30 days'],
  [`${365 * day}`, 'In a year'],
];

/** Asks what a new key may do, makes it, and shows it once. */
export function NewKeyDialog({ onMade, onClose }: NewKeyProps) {
  const [name, setName] = useState('');
  const [access, setAccess] = useState<Access>('read');
  const [bases, setBases] = useState('');
  const [drives, setDrives] = useState('');
  const [prefix, setPrefix] = useState('');
  const [origins, setOrigins] = useState('');
  const [lifetime, setLifetime] = useState('');
  const [s3, setS3] = useState(false);
  const [made, setMade] = useState<CreateKeyResponse | undefined>(undefined);
  const task = useTask();

  const create = () =>
    task.run(async () => {
      const limits: NewKey = {
        access,
        ...(name === '' ? {} : { name }),
        ...listed('bases', bases),
        ...listed('drives', drives),
        ...(prefix === '' ? {} : { prefix }),
        ...listed('origins', origins),
        expireIn: lifetime === '' ? undefined : Number(lifetime),
        ...(s3 ? { s3 } : {}),
      };
      setMade(await client().keys.create(limits));
      onMade();
    });

  if (made !== undefined) return <MadeKey made={made} onClose={onClose} />;
  return (
    <ActDialog title="New key" verb="Create" isForm task={task} onAct={create} onClose={onClose}>
      <TextField label="Name" dir="auto" placeholder="What you call it" value={name} onInput={setName} />
      <RadioChoice<Access>
        legend="It may"
        name="access"
        choices={accesses}
        value={access}
        onChange={setAccess}
      />
      <NamesField label="Bases" value={bases} known={knownBases.names.value} onInput={setBases} />
      <NamesField label="Drives" value={drives} known={knownDrives.names.value} onInput={setDrives} />
      <p class="hint" role="status">
        {reachText(splitNames(bases), splitNames(drives))} A name with * at its end stands for all that begin
        so.
      </p>
      <TextField
        label="Only keys of items and names of files that begin with"
        dir="auto"
        placeholder="Any; or a beginning, such as 2026/"
        value={prefix}
        onInput={setPrefix}
      />
      <TextField
        label="Only from web pages of"
        dir="auto"
        placeholder="Anywhere; or origins, such as https://shop.example"
        value={origins}
        onInput={setOrigins}
      />
      <SelectField label="It expires" value={lifetime} choices={lifetimes} onChoose={setLifetime} />
      <CheckField
        class="choice"
        text="With credentials for S3 clients: aws, rclone, restic and others"
        checked={s3}
        onChange={setS3}
      />
    </ActDialog>
  );
}

/** The new key, which is shown only now. */
function MadeKey({ made, onClose }: { readonly made: CreateKeyResponse; onClose(): void }) {
  const { key, access_key_id, secret_access_key } = made;
  return (
    <ShownOnce title="The new key" onClose={onClose}>
      <p>Copy it now: it is shown only here. The server keeps no more than its hash.</p>
      <CodeBlock code={key} label="the key" isWrapped />
      {access_key_id !== undefined && secret_access_key !== undefined && (
        <S3Credentials accessKeyId={access_key_id} secretAccessKey={secret_access_key} />
      )}
    </ShownOnce>
  );
}

/** A member with the names between commas; no member for none. */
function listed(member: 'bases' | 'drives' | 'origins', text: string): Partial<NewKey> {
  const names = splitNames(text);
  return names.length === 0 ? {} : { [member]: names };
}
