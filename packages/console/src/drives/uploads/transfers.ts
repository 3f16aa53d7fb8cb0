import { effect, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { explain, isAborted, statusOf } from '../../api/errors.js';
import { requestText } from '../../api/request.js';
import { key } from '../../api/session.js';
import { tellFailure } from '../../ui/toast.js';
import { createSpeed } from '../speed.js';
import type { FileToSend } from './files-to-send.js';
import { forget, type Interrupted, interrupted, remember } from './interrupted.js';
import { upload } from './upload.js';

/** A file on its way to a drive. */
export interface Transfer {
  readonly id: number;
  readonly drive: string;
  readonly name: string;
  readonly file: File;
  readonly state: Signal<'waiting' | 'sending' | 'paused' | 'done' | 'failed'>;
  /** Bytes that have left. */
  readonly sent: Signal<number>;
  /** Bytes a second over the last moments. */
  readonly speed: Signal<number>;
  readonly problem: Signal<string>;
  /** Whether it takes the place of a file that has the name. */
  readonly isReplacing: Signal<boolean>;
  /** Whether it failed because a file has the name, which it was not to replace. */
  readonly isTaken: Signal<boolean>;
}

/** Milliseconds at the beginning of a transfer in which its speed is not taken. */
const unmeasuredMs = 1000;
/** Transfers that are in progress at once; the others wait. */
const atOnce = 2;

const list = signal<readonly Transfer[]>([]);
const stops = new Map<number, AbortController>();
let lastId = 0;

/** The transfers of this tab, the oldest first. */
export const transfers: ReadonlySignal<readonly Transfer[]> = list;

type StoredListener = (drive: string, name: string) => void;
const listeners = new Set<StoredListener>();

/** Calls the listener with each file that this tab has stored. Gives a function that ends that. */
export function onStored(listener: StoredListener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

// Nothing is sent after the sign-out.
effect(() => {
  if (key.value !== undefined) return;
  for (const stop of stops.values()) stop.abort();
  list.value = [];
});

addEventListener('beforeunload', (event) => {
  // Has the browser ask: the user would have to choose the files again.
  if (stops.size > 0) event.preventDefault();
});

/** Uploads files into a drive. Interrupted uploads of the same files are resumed. */
export function sendFiles(drive: string, files: readonly FileToSend[]): void {
  const added = files.map(
    ({ name, file, isReplacing }): Transfer => ({
      id: ++lastId,
      drive,
      name,
      file,
      state: signal('waiting'),
      sent: signal(0),
      speed: signal(0),
      problem: signal(''),
      isReplacing: signal(isReplacing),
      isTaken: signal(false),
    }),
  );
  list.value = [...list.value, ...added];
  startWaiting();
}

/** Stops a transfer; what was sent of it stays, and `resume` continues from there. */
export function pause(transfer: Transfer): void {
  transfer.state.value = 'paused';
  stops.get(transfer.id)?.abort();
}

/** Resumes a transfer that was paused or has failed. */
export function resume(transfer: Transfer): void {
  transfer.problem.value = '';
  transfer.isTaken.value = false;
  transfer.state.value = 'waiting';
  startWaiting();
}

/** Resumes a transfer whose name is taken, and has it replace the file that has it. */
export function replace(transfer: Transfer): void {
  transfer.isReplacing.value = true;
  resume(transfer);
}

/** Takes a transfer off the list, stops it, and deletes what was stored of it. */
export function cancel(transfer: Transfer): void {
  if (transfer.state.peek() !== 'done') pause(transfer);
  drop(transfer);
  list.value = list.value.filter((other) => other !== transfer);
  startWaiting();
}

/** Takes the finished transfers off the list. */
export function clearDone(): void {
  list.value = list.value.filter(({ state }) => state.peek() !== 'done');
}

/** Deletes an upload that has begun and not ended: docs/http.md#abort-chunked-upload */
export async function abandon({ drive, name, uploadId }: Interrupted): Promise<void> {
  forget({ drive, name });
  const query = `name=${encodeURIComponent(name)}`;
  await requestText('DELETE', `/${encodeURIComponent(drive)}/uploads/${uploadId}?${query}`);
}

function startWaiting(): void {
  for (const transfer of list.peek()) {
    if (stops.size >= atOnce) return;
    if (transfer.state.peek() === 'waiting' && !stops.has(transfer.id)) void run(transfer);
  }
}

async function run(transfer: Transfer): Promise<void> {
  const { drive, name, file, state, sent, problem } = transfer;
  const stop = new AbortController();
  stops.set(transfer.id, stop);
  state.value = 'sending';
  const speed = createSpeed();
  const beganMs = performance.now();
  const known = interrupted.peek().find((one) => isSame(one, transfer));
  try {
    await upload({
      drive,
      name,
      file,
      isReplacing: transfer.isReplacing.peek(),
      signal: stop.signal,
      uploadId: known?.uploadId,
      onOpen: (uploadId) => remember({ drive, name, size: file.size, modified: file.lastModified, uploadId }),
      onSent(bytes) {
        sent.value = bytes;
        // What an earlier attempt has sent counts in the first moments, and took no time.
        if (performance.now() - beganMs > unmeasuredMs) transfer.speed.value = speed(bytes);
      },
    });
    sent.value = file.size;
    state.value = 'done';
    forget(transfer);
    for (const listener of listeners) listener(drive, name);
  } catch (cause) {
    if (!isAborted(cause)) {
      transfer.isTaken.value = statusOf(cause) === 412;
      problem.value = transfer.isTaken.value ? 'There is a file of this name already' : explain(cause);
      state.value = 'failed';
    }
  } finally {
    stops.delete(transfer.id);
    // The upload may have been opened after it was cancelled.
    if (!list.peek().includes(transfer)) drop(transfer);
    startWaiting();
  }
}

/** Deletes what the service has of a transfer. */
function drop(transfer: Transfer): void {
  const known = interrupted.peek().find((one) => isSame(one, transfer));
  if (known !== undefined && key.peek() !== undefined) abandon(known).catch(tellFailure);
}

function isSame({ drive, name, size, modified }: Interrupted, transfer: Transfer): boolean {
  const { file } = transfer;
  return (
    drive === transfer.drive && name === transfer.name && size === file.size && modified === file.lastModified
  );
}
