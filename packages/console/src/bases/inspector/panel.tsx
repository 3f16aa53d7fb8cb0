import type { ComponentChildren } from 'preact';
import { IconButton } from '../../ui/button.js';
import { Dialog } from '../../ui/dialog.js';
import { isPhone } from '../../ui/media.js';

interface PanelProps {
  readonly title: string;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
  /** Shown at its end where it covers the rest of the page. */
  readonly foot?: ComponentChildren;
  onClose(): void;
}

/** The area beside the main one; on a phone a dialog. Escape closes it. */
export function Panel({ title, actions, children, foot, onClose }: PanelProps) {
  if (isPhone.value) {
    return (
      <Dialog title={title} form="full" onClose={onClose}>
        <div class="row wraps panel-actions">{actions}</div>
        {children}
        {foot !== undefined && <div class="panel-foot">{foot}</div>}
      </Dialog>
    );
  }
  return (
    <aside
      class="inspector"
      aria-label={title}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && !event.defaultPrevented) onClose();
      }}
    >
      <header class="inspector-head">
        <h2 class="clip mono" title={title}>
          {title}
        </h2>
        {actions}
        <IconButton icon="x" label="Close" onClick={onClose} />
      </header>
      <div class="inspector-body">{children}</div>
    </aside>
  );
}
