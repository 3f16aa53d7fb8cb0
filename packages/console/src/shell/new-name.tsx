import { useState } from 'preact/hooks';
import { bases, drives } from '../api/catalog.js';
import { reachOf } from '../api/own-key.js';
import { go } from '../router.js';
import { ActDialog } from '../ui/act-dialog.js';
import { Problem } from '../ui/problem.js';
import { TextField } from '../ui/text-field.js';

const maxNameBytes = 255;

interface NewNameProps {
  readonly kind: 'bases' | 'drives';
  onClose(): void;
}

/** Asks for a name and opens it. Nothing is created: the first write does that (docs/http.md#paths). */
export function NewNameDialog({ kind, onClose }: NewNameProps) {
  const [name, setName] = useState('');
  const noun = kind === 'bases' ? 'base' : 'drive';
  const problem = name === '' ? undefined : (nameProblem(name) ?? reachProblem(kind, name));
  const open = () => {
    (kind === 'bases' ? bases : drives).add(name);
    onClose();
    go({ screen: kind, name, parameters: {} });
  };
  return (
    <ActDialog
      title={`New ${noun}`}
      verb="Open"
      isForm
      isReady={name !== '' && problem === undefined}
      onAct={open}
      onClose={onClose}
    >
      <TextField label="Name" value={name} aria-invalid={problem !== undefined} onInput={setName} />
      {problem === undefined ? (
        <p class="hint">It is created with the first {kind === 'bases' ? 'item' : 'file'} that you add.</p>
      ) : (
        <Problem text={problem} />
      )}
    </ActDialog>
  );
}

/** Says of a name that the key does not reach it: docs/http.md#limited-keys */
function reachProblem(kind: 'bases' | 'drives', name: string): string | undefined {
  const reach = reachOf(kind);
  const isReached = (each: string) =>
    each.endsWith('*') ? name.startsWith(each.slice(0, -1)) : name === each;
  return reach?.some(isReached) === false ? `Your key reaches only ${reach.join(', ')}.` : undefined;
}

/** What is wrong with a name, or undefined: docs/http.md#paths */
function nameProblem(name: string): string | undefined {
  if (new TextEncoder().encode(name).length > maxNameBytes)
    return `A name has at most ${maxNameBytes} bytes of UTF-8.`;
  if (/\p{Cc}/u.test(name)) return 'Control characters are not allowed.';
  if (name === '.' || name === '..') return 'A browser cannot address this name.';
  return undefined;
}
