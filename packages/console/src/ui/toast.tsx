import { computed, effect } from '@preact/signals';
import { explain, isAborted } from '../api/errors.js';
import { perKey } from '../api/session.js';
import { route } from '../router.js';
import { IconButton } from './button.js';
import { keepFocus } from './focus.js';
import { Icon } from './icon.js';
import { visible } from './visible.js';

/** How something that was done is taken back. */
export interface Undo {
  /** What is taken back, as the button says it: `save`, `deletion`. */
  readonly what: string;
  run(): void;
}

interface Telling {
  readonly undo?: Undo | undefined;
  /** The base or drive that it is about: elsewhere, the message names it. */
  readonly of?: string;
}

interface Toast {
  readonly id: number;
  readonly shownAtMs: number;
  readonly kind: 'done' | 'failed';
  readonly text: string;
  readonly undo?: Undo | undefined;
}

const toasts = perKey<readonly Toast[]>([]);
/** Milliseconds in which a message is read, and in which it is decided whether what it tells is taken back. */
const shownMs = 6000;
const undoMs = 12_000;
let lastId = 0;

const nameShown = () => ('name' in route.value ? route.value.name : undefined);
const screenShown = computed(() => JSON.stringify([route.value.screen, nameShown()]));

effect(() => {
  // Messages end with their screen, but not a failure that nobody could read yet.
  void screenShown.value;
  toasts.value = toasts.peek().filter((toast) => toast.kind === 'failed' && !wasRead(toast));
});

const wasRead = ({ shownAtMs }: Toast) => shownAtMs < Date.now() - shownMs;

/** Says that something is done. */
export function tell(text: string, { undo, of }: Telling = {}): void {
  // What failed before and could be read is over: mostly it is what succeeds now.
  toasts.value = toasts.value.filter((toast) => toast.kind === 'done' || !wasRead(toast));
  const isElsewhere = of !== undefined && of !== nameShown();
  show({ kind: 'done', text: isElsewhere ? `${visible(of)}: ${text}` : text, undo });
}

/** Shows a failure, unless the page itself ended the request. */
export function tellFailure(cause: unknown): void {
  if (!isAborted(cause)) show({ kind: 'failed', text: explain(cause) });
}

function show(what: Omit<Toast, 'id' | 'shownAtMs'>): void {
  const toast = { ...what, id: ++lastId, shownAtMs: Date.now() };
  toasts.value = [...toasts.value.slice(-2), toast];
  // A failure stays until it was read.
  if (toast.kind === 'done') setTimeout(() => dismiss(toast.id), toast.undo === undefined ? shownMs : undoMs);
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
      {toasts.value.map(({ id, kind, text, undo }) => (
        <div key={id} class={`toast ${kind}`}>
          <Icon name={kind === 'done' ? 'check' : 'circle-alert'} />
          <span class="toast-text">{text}</span>
          {undo !== undefined && (
            <button
              type="button"
              class="button quiet"
              onClick={() => {
                dismiss(id);
                undo.run();
              }}
            >
              Undo {undo.what}
            </button>
          )}
          <IconButton icon="x" label="Dismiss" onClick={() => dismiss(id)} />
        </div>
      ))}
    </div>
  );
}
