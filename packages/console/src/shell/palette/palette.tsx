import { useId, useRef, useState } from 'preact/hooks';
import { Dialog } from '../../ui/dialog.js';
import { lazy } from '../../ui/lazy.js';

const Options = lazy(async () => (await import('./options.js')).Options);

interface PaletteProps {
  onHelp(): void;
  onClose(): void;
}

/**
 * Finds bases, drives, items, files, filters and what can be done, and goes there or does it. The field is there at once;
 * what is typed before the rest is loaded stays in it.
 */
export function Palette({ onHelp, onClose }: PaletteProps) {
  const id = useId();
  const [text, setText] = useState('');
  /** The option that Enter opens; undefined: none. */
  const [active, setActive] = useState<string | undefined>(undefined);
  const onKey = useRef<(event: KeyboardEvent) => void>(undefined);
  return (
    <Dialog title="Find or do" form="top" onClose={onClose}>
      <input
        class="input"
        role="combobox"
        aria-label={words}
        aria-expanded="true"
        aria-controls={id}
        aria-autocomplete="list"
        aria-activedescendant={active}
        autocomplete="off"
        spellcheck={false}
        placeholder={words}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => onKey.current?.(event)}
      />
      <Options
        id={id}
        text={text.trim()}
        onKey={onKey}
        onActive={setActive}
        onHelp={onHelp}
        onClose={onClose}
      />
    </Dialog>
  );
}

const words = 'A name, a key, or something to do';
