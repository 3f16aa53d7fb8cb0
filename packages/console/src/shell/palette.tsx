import { useEffect, useId, useState } from 'preact/hooks';
import { findNames } from '../api/catalog.js';
import { go, type Route } from '../router.js';
import { Dialog } from '../ui/dialog.js';
import { Icon, type IconName } from '../ui/icon.js';
import { tellFailure } from '../ui/toast.js';

interface Target {
  readonly icon: IconName;
  readonly text: string;
  readonly to: Route;
}

/** Names of each kind that are shown. */
const shown = 8;
const overview: Target = { icon: 'home', text: 'Overview', to: { screen: 'overview', parameters: {} } };

/** Finds a base or drive by the beginning of its name, and goes there. */
export function Palette({ onClose }: { onClose(): void }) {
  const id = useId();
  const [text, setText] = useState('');
  const [found, setFound] = useState<readonly Target[] | undefined>(undefined);
  const [chosen, setChosen] = useState(0);
  const targets = found ?? [];

  useEffect(() => {
    let isCurrent = true;
    findTargets(text).then(
      (next) => {
        if (!isCurrent) return;
        setFound(next);
        setChosen(0);
      },
      (cause) => isCurrent && tellFailure(cause),
    );
    return () => {
      isCurrent = false;
    };
  }, [text]);

  function open(target: Target | undefined): void {
    if (target === undefined) return;
    onClose();
    go(target.to);
    // Not back to where it was opened, but to what it led to.
    setTimeout(() => document.getElementById('main')?.focus());
  }

  function onKeyDown(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && targets.length > 0) {
      event.preventDefault();
      setChosen((chosen + step + targets.length) % targets.length);
    } else if (event.key === 'Enter') {
      event.preventDefault();
      open(targets[chosen]);
    }
  }

  return (
    <Dialog title="Go to" form="top" onClose={onClose}>
      <input
        class="input"
        role="combobox"
        aria-label="The beginning of a name"
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={targets.length === 0 ? undefined : `${id}-${chosen}`}
        autocomplete="off"
        placeholder="The beginning of a name"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <div id={id} class="options" role="listbox" aria-label="Bases and drives">
        {targets.map((target, at) => (
          <div
            key={target.icon + target.text}
            id={`${id}-${at}`}
            class="option"
            role="option"
            aria-selected={at === chosen}
            onClick={() => open(target)}
          >
            <Icon name={target.icon} />
            <span class="clip">{target.text}</span>
          </div>
        ))}
      </div>
      {found?.length === 0 && <p class="hint">No name begins with this text.</p>}
    </Dialog>
  );
}

async function findTargets(text: string): Promise<Target[]> {
  const [bases, drives] = await Promise.all([
    findNames('bases', text, shown),
    findNames('drives', text, shown),
  ]);
  return [
    ...('overview'.startsWith(text.toLowerCase()) ? [overview] : []),
    ...bases.map(
      (name): Target => ({ icon: 'database', text: name, to: { screen: 'bases', name, parameters: {} } }),
    ),
    ...drives.map(
      (name): Target => ({ icon: 'drive', text: name, to: { screen: 'drives', name, parameters: {} } }),
    ),
  ];
}
