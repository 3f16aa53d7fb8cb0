import { useState } from 'preact/hooks';
import { addressOf } from '../../router.js';
import { IconButton } from '../../ui/button.js';
import { Form } from '../../ui/form.js';
import { visible } from '../../ui/visible.js';
import type { Entry } from '../entry.js';
import { dropTarget } from '../moves/drag.js';

interface PathBarProps {
  readonly drive: string;
  /** `a/b/`, or empty for the drive itself. */
  readonly folder: string;
  onGo(folder: string): void;
  /** Entries were dropped on one of the folders. */
  onMove(entries: readonly Entry[], folder: string): void;
}

/** Where the user is: the drive and its folders as links, or the path as a text to type. */
export function PathBar({ drive, folder, onGo, onMove }: PathBarProps) {
  const [typed, setTyped] = useState<string | undefined>(undefined);
  if (typed !== undefined) {
    return (
      <Form
        class="path-form"
        onSubmit={() => {
          setTyped(undefined);
          const path = typed.replace(/^\/+/, '');
          onGo(path === '' || path.endsWith('/') ? path : `${path}/`);
        }}
      >
        <input
          class="input mono"
          aria-label={`Folder in ${drive}`}
          placeholder="Go to a folder: trip/2026"
          value={typed}
          autocomplete="off"
          spellcheck={false}
          ref={(element) => element?.focus()}
          onInput={(event) => setTyped(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') setTyped(undefined);
          }}
          onBlur={() => setTyped(undefined)}
        />
      </Form>
    );
  }
  const parts = folder.split('/').slice(0, -1);
  const above = (depth: number, text: string) => {
    const path = parts
      .slice(0, depth)
      .map((part) => `${part}/`)
      .join('');
    const address = addressOf({ screen: 'drives', name: drive, parameters: { folder: path } });
    return (
      <a href={address} {...dropTarget(path, onMove)}>
        {visible(text)}
      </a>
    );
  };
  return (
    <>
      <h1 class="path clip">
        {parts.length === 0 ? visible(drive) : above(0, drive)}
        {parts.map((part, at) => (
          <span key={at}>
            <span class="path-slash">/</span>
            {at === parts.length - 1 ? visible(part) : above(at + 1, part)}
          </span>
        ))}
      </h1>
      <IconButton icon="go" label="Go to a folder" onClick={() => setTyped(folder)} />
    </>
  );
}
