import type { ComponentChildren } from 'preact';
import { useId, useRef, useState } from 'preact/hooks';
import { Icon, type IconName } from './icon.js';

interface MenuProps {
  /** What the button that opens it is called. */
  readonly label: string;
  readonly children: ComponentChildren;
}

const gap = 4;

/** A button that opens a menu. Arrow keys move in it, Escape closes it and returns to the button. */
export function Menu({ label, children }: MenuProps) {
  const id = useId();
  const opener = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  // A menu may have a thousand entries: they are in the document only while it is open.
  const [isOpen, setOpen] = useState(false);
  const entries = () => Array.from(menu.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? []);

  function place(event: { readonly newState: string }): void {
    opener.current?.setAttribute('aria-expanded', String(event.newState === 'open'));
    // Not before: a browser gives the focus back only if the entry that has it is still there.
    if (event.newState !== 'open') setOpen(false);
    if (event.newState !== 'open' || menu.current === null || opener.current === null) return;
    placeBelow(menu.current, opener.current);
    entries()[0]?.focus();
  }

  function onKeyDown(event: KeyboardEvent): void {
    const all = entries();
    const at = all.indexOf(document.activeElement as HTMLElement);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    all[(next + all.length) % all.length]?.focus();
  }

  return (
    <>
      <button
        ref={opener}
        type="button"
        class="button icon-button quiet"
        popovertarget={id}
        aria-haspopup="menu"
        aria-expanded="false"
        aria-label={label}
        title={label}
      >
        <Icon name="ellipsis" />
      </button>
      <div
        ref={menu}
        id={id}
        popover="auto"
        role="menu"
        aria-label={label}
        class="menu"
        onBeforeToggle={({ newState }: { readonly newState: string }) => newState === 'open' && setOpen(true)}
        onToggle={place}
        onKeyDown={onKeyDown}
      >
        {isOpen && children}
      </div>
    </>
  );
}

/**
 * Places an open popover below an element, or above it if there is no room, and within the window. Where it would leave
 * the window, their right edges are in line.
 */
function placeBelow(popover: HTMLElement, anchor: Element): void {
  const from = anchor.getBoundingClientRect();
  const { width, height } = popover.getBoundingClientRect();
  const fits = from.bottom + gap + height <= innerHeight - gap;
  popover.style.top = `${fits ? from.bottom + gap : Math.max(gap, from.top - gap - height)}px`;
  const left = from.left + width <= innerWidth - gap ? from.left : from.right - width;
  popover.style.left = `${Math.max(gap, Math.min(left, innerWidth - width - gap))}px`;
}

interface MenuItemProps {
  readonly icon: IconName;
  readonly text: string;
  readonly danger?: boolean;
  readonly disabled?: boolean;
  onChoose(): void;
}

/** An entry of a menu. */
export function MenuItem({ icon, text, danger = false, disabled = false, onChoose }: MenuItemProps) {
  return (
    <button
      type="button"
      role="menuitem"
      tabIndex={-1}
      disabled={disabled}
      class={danger ? 'menu-item danger' : 'menu-item'}
      onClick={(event) => {
        event.currentTarget.closest<HTMLElement>('[popover]')?.hidePopover();
        onChoose();
      }}
    >
      <Icon name={icon} />
      <span class="menu-text">{text}</span>
    </button>
  );
}

/** A line between groups of entries. */
export function MenuLine() {
  return <hr class="menu-line" />;
}
