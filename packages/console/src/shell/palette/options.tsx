import { useEffect, useRef, useState } from 'preact/hooks';
import { go } from '../../router.js';
import { countOf } from '../../ui/format.js';
import { Icon } from '../../ui/icon.js';
import { visible } from '../../ui/visible.js';
import type { Target } from './target.js';
import { useTargets } from './use-targets.js';

interface OptionsProps {
  /** The id of the list, which the field names. */
  readonly id: string;
  readonly text: string;
  /** Takes what the keys of the field do here. */
  readonly onKey: { current: ((event: KeyboardEvent) => void) | undefined };
  /** Called with the id of the chosen option, or undefined if there is none. */
  onActive(id: string | undefined): void;
  onHelp(): void;
  onClose(): void;
}

/** What fits the text of the palette, one of it chosen with the arrow keys and opened with Enter. */
export function Options({ id, text, onKey, onActive, onHelp, onClose }: OptionsProps) {
  /** Another text begins with its first option. */
  const [chosen, setChosen] = useState({ text, at: 0 });
  const list = useRef<HTMLDivElement>(null);
  const { groups, isLooking } = useTargets(text, onHelp);
  const all = groups.flatMap(({ targets }) => targets);
  const at = chosen.text === text ? Math.min(chosen.at, all.length - 1) : 0;
  const active = all.length === 0 ? undefined : `${id}-${at}`;

  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
    onActive(active);
  }, [active]);

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

  onKey.current = (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && all.length > 0) setChosen({ text, at: (at + step + all.length) % all.length });
    else if (event.key === 'Enter') open(all[at]);
    else return;
    event.preventDefault();
  };

  return (
    <>
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
    </>
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
