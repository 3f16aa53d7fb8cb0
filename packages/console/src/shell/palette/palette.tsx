import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { go } from '../../router.js';
import { Dialog } from '../../ui/dialog.js';
import { countOf } from '../../ui/format.js';
import { Icon } from '../../ui/icon.js';
import { visible } from '../../ui/visible.js';
import type { Target } from './target.js';
import { useTargets } from './use-targets.js';

interface PaletteProps {
  onHelp(): void;
  onClose(): void;
}

/** Finds bases, drives, items, files, filters and what can be done, and goes there or does it. */
export function Palette({ onHelp, onClose }: PaletteProps) {
  const id = useId();
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const { groups, isLooking } = useTargets(text.trim(), onHelp);
  const all = groups.flatMap(({ targets }) => targets);
  const at = Math.min(chosen, all.length - 1);

  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [at]);

  function open(target: Target | undefined): void {
    if (target === undefined) return;
    onClose();
    if (typeof target.to === 'function') {
      const { to } = target;
      // The dialog gives the focus back first: what is opened then takes it.
      requestAnimationFrame(() => to());
      return;
    }
    go(target.to);
    // Not back to where it was opened, but to what it led to.
    setTimeout(() => document.getElementById('main')?.focus());
  }

  function onKeyDown(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && all.length > 0) setChosen((at + step + all.length) % all.length);
    else if (event.key === 'Enter') open(all[at]);
    else return;
    event.preventDefault();
  }

  return (
    <Dialog title="Find or do" form="top" onClose={onClose}>
      <input
        class="input"
        role="combobox"
        aria-label="A name, a key, or something to do"
        aria-expanded="true"
        aria-controls={id}
        aria-autocomplete="list"
        aria-activedescendant={all.length === 0 ? undefined : `${id}-${at}`}
        autocomplete="off"
        spellcheck={false}
        placeholder="A name, a key, or something to do"
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setChosen(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div ref={list} id={id} class="options palette" role="listbox" aria-label="What fits">
        {groups.map(({ title, targets }, n) => {
          const before = groups.slice(0, n).reduce((sum, group) => sum + group.targets.length, 0);
          return (
            <div key={title} role="group" aria-label={title}>
              <div class="palette-title" aria-hidden="true">
                {title}
              </div>
              {targets.map((target, own) => (
                <Option
                  key={`${target.icon} ${target.text} ${target.where ?? ''}`}
                  id={`${id}-${before + own}`}
                  target={target}
                  isChosen={before + own === at}
                  onOpen={() => open(target)}
                />
              ))}
            </div>
          );
        })}
      </div>
      <p class={all.length === 0 && !isLooking ? 'hint' : 'hidden-label'} role="status">
        {isLooking ? '' : all.length === 0 ? 'Nothing fits this text.' : `${countOf(all.length, 'result')}`}
      </p>
    </Dialog>
  );
}

interface OptionProps {
  readonly id: string;
  readonly target: Target;
  readonly isChosen: boolean;
  onOpen(): void;
}

function Option({ id, target: { icon, text, where }, isChosen, onOpen }: OptionProps) {
  return (
    <div id={id} class="option" role="option" aria-selected={isChosen} onClick={onOpen}>
      <Icon name={icon} />
      <span class="clip">{visible(text)}</span>
      {where !== undefined && <span class="meta push clip">{visible(where)}</span>}
    </div>
  );
}
