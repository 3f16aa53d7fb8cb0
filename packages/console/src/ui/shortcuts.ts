import { useEffect, useRef } from 'preact/hooks';

/** What a key does, by its notation: `?`, `/`, `mod+k` (Ctrl, or Command on a Mac). */
export type Shortcuts = Readonly<Record<string, (event: KeyboardEvent) => void>>;

const isMac = /Mac|iPhone|iPad/.test(navigator.platform);

/**
 * Acts on keys anywhere on the page while the component is shown. Keys without `mod` are left to text fields. What is
 * open over a screen (`isOver`) has its keys before the screen.
 */
export function useShortcuts(shortcuts: Shortcuts, { isOver = false } = {}): void {
  const current = useRef(shortcuts);
  current.current = shortcuts;
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.altKey || event.isComposing) return;
      const isMod = isMac ? event.metaKey : event.ctrlKey;
      const isInText = isTyping(event.composedPath()[0] ?? null);
      if (!isMod && (isInText || document.querySelector(':is(dialog[open], :popover-open)') !== null)) return;
      // A text field has an undo of its own.
      if (isInText && event.key.toLowerCase() === 'z') return;
      const act = current.current[(isMod ? 'mod+' : '') + (isMod ? event.key.toLowerCase() : event.key)];
      if (act === undefined) return;
      event.preventDefault();
      act(event);
    };
    addEventListener('keydown', onKeyDown, isOver);
    return () => removeEventListener('keydown', onKeyDown, isOver);
  }, []);
}

/** A shortcut as it is written on this kind of machine: `⌘K` or `Ctrl K`. */
export function keyName(notation: string): string {
  const rest = notation.replace('mod+', '');
  if (rest === notation) return notation;
  return isMac ? `⌘${rest.toUpperCase()}` : `Ctrl ${rest.toUpperCase()}`;
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}
