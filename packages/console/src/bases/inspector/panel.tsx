import type { ComponentChildren } from 'preact';
import { IconButton } from '../../ui/button.js';
import { Dialog } from '../../ui/dialog.js';
import { isPhone } from '../../ui/media.js';
import { PanelHandle, panelWidth } from '../../ui/panel-handle.js';
import { visible } from '../../ui/visible.js';

interface PanelProps {
  readonly title: string;
  /** Whether the title is the key of an item. */
  readonly isKey?: boolean;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
  /** Shown at its end where it covers the rest of the page. */
  readonly foot?: ComponentChildren;
  onClose(): void;
}

/** The area beside the main one; on a phone a dialog. Escape closes it. */
export function Panel({ title, isKey = false, actions, children, foot, onClose }: PanelProps) {
  if (isPhone.value) {
    return (
      <Dialog title={visible(title)} form="full" tools={actions} onClose={onClose}>
        {children}
        {foot !== undefined && <div class="panel-foot">{foot}</div>}
      </Dialog>
    );
  }
  return (
    <aside
      class="inspector"
      style={{ '--panel-width': `${panelWidth.value}px` }}
      aria-label={title}
      onKeyDown={(event) => {
        // A menu that is open over it is closed first, by the browser.
        if (event.key !== 'Escape' || event.defaultPrevented || document.querySelector(':popover-open'))
          return;
        event.preventDefault();
        onClose();
      }}
    >
      <PanelHandle />
      <header class="inspector-head">
        <h2 class={isKey ? 'clip mono' : 'clip'} title={title}>
          {visible(title)}
        </h2>
        {actions}
        <IconButton icon="x" label="Close" onClick={onClose} />
      </header>
      <div class="inspector-body">{children}</div>
    </aside>
  );
}
