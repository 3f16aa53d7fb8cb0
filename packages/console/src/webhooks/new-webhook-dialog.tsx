import type { CreateHookResponse } from 'basedrive-client';
import { useState } from 'preact/hooks';
import { bases as knownBases, drives as knownDrives } from '../api/catalog.js';
import { client } from '../api/session.js';
import { NamesField } from '../keys/names-field.js';
import { splitNames } from '../keys/scope-text.js';
import { ActDialog } from '../ui/act-dialog.js';
import { CodeBlock } from '../ui/copy.js';
import { ShownOnce } from '../ui/shown-once.js';
import { useTask } from '../ui/task.js';
import { TextField } from '../ui/text-field.js';
import { type Beginning, BeginningChoice } from './beginning-choice.js';

interface NewWebhookProps {
  onMade(): void;
  onClose(): void;
}

/** Asks what a new webhook sends and where, makes it, and shows its secret once. */
export function NewWebhookDialog({ onMade, onClose }: NewWebhookProps) {
  const [url, setUrl] = useState('');
  const [name, setName] = useState('');
  const [bases, setBases] = useState('');
  const [drives, setDrives] = useState('');
  const [prefix, setPrefix] = useState('');
  const [since, setSince] = useState<Beginning>('now');
  const [made, setMade] = useState<CreateHookResponse | undefined>(undefined);
  const task = useTask();

  const create = () =>
    task.run(async () => {
      const [ofBases, ofDrives] = [splitNames(bases), splitNames(drives)];
      const wanted = {
        url: url.trim(),
        ...(name === '' ? {} : { name }),
        ...(ofBases.length === 0 ? {} : { bases: ofBases }),
        ...(ofDrives.length === 0 ? {} : { drives: ofDrives }),
        ...(prefix === '' ? {} : { prefix }),
        since,
      };
      setMade(await client().webhooks.create(wanted));
      onMade();
    });

  if (made !== undefined) return <MadeWebhook made={made} onClose={onClose} />;
  return (
    <ActDialog title="New webhook" verb="Create" isForm task={task} onAct={create} onClose={onClose}>
      <TextField
        label="Address"
        dir="auto"
        placeholder="https://example.com/in"
        value={url}
        onInput={setUrl}
      />
      <TextField label="Name" dir="auto" placeholder="What you call it" value={name} onInput={setName} />
      <NamesField label="Bases" value={bases} known={knownBases.names.value} onInput={setBases} />
      <NamesField label="Drives" value={drives} known={knownDrives.names.value} onInput={setDrives} />
      <TextField
        label="Only keys of items and names of files that begin with"
        dir="auto"
        placeholder="Any; or a beginning, such as 2026/"
        value={prefix}
        onInput={setPrefix}
      />
      <BeginningChoice value={since} onChange={setSince} />
    </ActDialog>
  );
}

/** The secret of the new webhook, which is shown only now. */
function MadeWebhook({ made, onClose }: { readonly made: CreateHookResponse; onClose(): void }) {
  return (
    <ShownOnce title="The new webhook" onClose={onClose}>
      <p>
        Its messages are signed with this secret. Copy it now: it is shown only here, and any library for
        Standard Webhooks takes it.
      </p>
      <CodeBlock code={made.secret} label="the secret" isWrapped />
    </ShownOnce>
  );
}
