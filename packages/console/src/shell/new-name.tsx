import { useState } from 'preact/hooks';
import { bases, drives } from '../api/catalog.js';
import { go } from '../router.js';
import { Button } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { Form } from '../ui/form.js';

const maxNameBytes = 255;

interface NewNameProps {
  readonly kind: 'bases' | 'drives';
  onClose(): void;
}

/** Asks for a name and opens it. Nothing is created: the first write does that (docs/http.md#paths). */
export function NewNameDialog({ kind, onClose }: NewNameProps) {
  const [name, setName] = useState('');
  const noun = kind === 'bases' ? 'base' : 'drive';
  const problem = name === '' ? undefined : nameProblem(name);
  const open = () => {
    if (name === '' || problem !== undefined) return;
    (kind === 'bases' ? bases : drives).add(name);
    onClose();
    go({ screen: kind, name, parameters: {} });
  };
  return (
    <Dialog
      title={`New ${noun}`}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" disabled={name === '' || problem !== undefined} onClick={open}>
            Open
          </Button>
        </>
      }
    >
      <Form onSubmit={open}>
        <label class="field">
          <span>Name</span>
          <input
            class="input"
            value={name}
            autocomplete="off"
            aria-invalid={problem !== undefined}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </label>
        {problem === undefined ? (
          <p class="hint">It is created with the first {kind === 'bases' ? 'item' : 'file'} that you add.</p>
        ) : (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
      </Form>
    </Dialog>
  );
}

/** What is wrong with a name, or undefined: docs/http.md#paths */
function nameProblem(name: string): string | undefined {
  if (new TextEncoder().encode(name).length > maxNameBytes)
    return `A name has at most ${maxNameBytes} bytes of UTF-8.`;
  if (/\p{Cc}/u.test(name)) return 'Control characters are not allowed.';
  if (name === '.' || name === '..') return 'A browser cannot address this name.';
  return undefined;
}
