import { tell } from '../ui/toast.js';
import type { BaseDialog, BaseView } from './base-view.js';

/**
 * Opens a dialog on what has ended late. Another dialog that is open in the meantime is closed by the person first, and where the
 * screen is gone, the text says it.
 */
export function openInTurn({ dialog, open, isShown }: BaseView, next: BaseDialog, text: string): void {
  if (!isShown()) {
    tell(text);
    return;
  }
  if (dialog.peek() === undefined) {
    open(next);
    return;
  }
  const stop = dialog.subscribe((present) => {
    if (present !== undefined) return;
    stop();
    open(next);
  });
}
