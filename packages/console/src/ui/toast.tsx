import { signal } from '@preact/signals';
import { explain, isAborted } from '../api/errors.js';
import { IconButton } from './button.js';
import { keepFocus } from './focus.js';
import { Icon } from './icon.js';

interface Toast {
  readonly id: number;
  readonly kind: 'done' | 'failed';
  readonly text: string;
  readonly action?: { readonly label: string; run(): void } | undefined;
}

const toasts = signal<readonly Toast[]>([]);
const shownMs = 6000;
let lastId = 0;

/** Says that something is done. `action` is mostly its undoing. */
export function tell(text: string, action?: Toast['action']): void {
  show({ id: ++lastId, kind: 'done', text, action });
}

/** Shows a failure, unless the page itself ended the request. */
export function tellFailure(cause: unknown): void {
  if (!isAborted(cause)) show({ id: ++lastId, kind: 'failed', text: explain(cause) });
}

function show(toast: Toast): void {
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
