import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { route } from '../router.js';
import { Dialog } from '../ui/dialog.js';
import { lazy } from '../ui/lazy.js';
import { isPhone } from '../ui/media.js';
import { useShortcuts } from '../ui/shortcuts.js';
import { ToastPlace } from '../ui/toast.js';
import { keepScrolls } from './kept-scroll.js';
import { Palette } from './palette/palette.js';
import { AskedName, Sidebar } from './sidebar.js';
import { TopBar } from './top-bar.js';

// What is not needed at once is loaded when it is opened.
const Help = lazy(async () => (await import('./help.js')).Help);

/** The frame around every screen: top bar, sidebar, main area. On a phone the sidebar is a sheet. */
export function Shell({ children }: { readonly children: ComponentChildren }) {
  const [open, setOpen] = useState<'menu' | 'search' | 'help'>();
  const close = () => setOpen(undefined);
  useShortcuts({ 'mod+k': () => setOpen('search'), '?': () => setOpen('help') });
  const main = useRef<HTMLElement>(null);
  useEffect(() => (main.current === null ? undefined : keepScrolls(main.current)), []);
  // The sheet closes when the route changes.
  useEffect(() => setOpen((present) => (present === 'menu' ? undefined : present)), [route.value]);
  return (
    <div class="shell">
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to the content
      </button>
      <TopBar
        onMenu={() => setOpen('menu')}
        onSearch={() => setOpen('search')}
        onHelp={() => setOpen('help')}
      />
      {!isPhone.value && <Sidebar />}
      <main ref={main} id="main" class="main" tabIndex={-1}>
        {children}
      </main>
      <ToastPlace />
      {open === 'menu' && (
        <Dialog title="Bases and drives" form="side" onClose={close}>
          <Sidebar />
        </Dialog>
      )}
      {open === 'search' && <Palette onHelp={() => setOpen('help')} onClose={close} />}
      <AskedName />
      {open === 'help' && <Help onClose={close} />}
    </div>
  );
}
