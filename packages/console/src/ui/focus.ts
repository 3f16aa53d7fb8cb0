/**
 * Gives the focus to what the screen is about, if nothing has it: mostly what had it is gone. Keys would otherwise act on
 * the page instead of what a person works on.
 */
export function keepFocus(): void {
  if (document.activeElement !== null && document.activeElement !== document.body) return;
  const found = ['dialog[open]', '[role=grid]', 'main'].map((one) =>
    document.querySelector<HTMLElement>(one),
  );
  found.find((element) => element !== null)?.focus({ preventScroll: true });
}
