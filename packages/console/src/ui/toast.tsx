import { effect, signal } from '@preact/signals';
import { explain, isAborted } from '../api/errors.js';
import { key } from '../api/session.js';
import { IconButton } from './button.js';
import { keepFocus } from './focus.js';
import { Icon } from './icon.js';

interface Toast {
  readonly id: number;
  readonly shownAtMs: number;
  readonly kind: 'done' | 'failed';
  readonly text: string;
  readonly action?: { readonly label: string; run(): void } | undefined;
}

const toasts = signal<readonly Toast[]>([]);
const shownMs = 6000;
let lastId = 0;

effect(() => {
  // Nothing is undone with another key than it was done with.
  void key.value;
  toasts.value = [];
});

/** Says that something is done. `action` is mostly its undoing. */
export function tell(text: string, action?: Toast['action']): void {
  // What failed before and could be read is over: mostly it is what succeeds now.
  const readBefore = Date.now() - shownMs;
  toasts.value = toasts.value.filter(({ kind, shownAtMs }) => kind === 'done' || shownAtMs > readBefore);
  show({ kind: 'done', text, action });
}

/** Shows a failure, unless the page itself ended the request. */
export function tellFailure(cause: unknown): void {
  if (!isAborted(cause)) show({ kind: 'failed', text: explain(cause) });
}

function show(what: Omit<Toast, 'id' | 'shownAtMs'>): void {
  const toast = { ...what, id: ++lastId, shownAtMs: Date.now() };
  toasts.value = [...toasts.value.slice(-2), toast];
  // A failure stays until it was read.
  if (toast.kind === 'done') setTimeout(() => dismiss(toast.id), shownMs);
}

function dismiss(id: number): void {
  // The button that was used goes with it.
  if (document.activeElement?.closest('.toasts') !== null) requestAnimationFrame(keepFocus);
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}

/** The place of the messages, once on the page. Screen readers announce what appears in it. */
export function ToastPlace() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, kind, text, action }) => (
        <div key={id} class={`toast ${kind}`}>
          <Icon name={kind === 'done' ? 'check' : 'circle-alert'} />
          <span class="toast-text">{text}</span>
          {action !== undefined && (
            <button
              type="button"
              class="button quiet"
              onClick={() => {
                dismiss(id);
                action.run();
              }}
            >
              {action.label}
            </button>
          )}
          <IconButton icon="x" label="Dismiss" onClick={() => dismiss(id)} />
        </div>
      ))}
    </div>
  );
}
