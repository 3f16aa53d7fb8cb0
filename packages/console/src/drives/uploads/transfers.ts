import { effect, type ReadonlySignal, signal } from '@preact/signals';
import { explain, isAborted, isPassing, statusOf } from '../../api/errors.js';
import { isReady } from '../../api/ready.js';
import { requestText } from '../../api/request.js';
import { client, endedBecause, key, project } from '../../api/session.js';
import { tellFailure } from '../../ui/toast.js';
import { createSpeed } from '../speed.js';
import type { FileToSend } from './files-to-send.js';
import { forget, type Interrupted, interrupted, remember } from './interrupted.js';
import { createTransferList, type Progress, type Transfer } from './transfer-list.js';

export type { Transfer } from './transfer-list.js';

/** Milliseconds at the beginning of a transfer in which its speed is not taken. */
const unmeasuredMs = 1000;
/** Transfers that are in progress at once; the others wait. */
const atOnce = 2;
/** As many, if all of them are small: what they take is the way there and back. A browser opens six connections. */
const smallAtOnce = 4;
/** Bytes that a small file has at most. */
const smallBytes = 1_000_000;
/** Milliseconds between two looks whether a service that was away is back. */
const askEveryMs = 3000;
/** How often a transfer goes on by itself: something between here and a service that answers may refuse its bytes. */
const maxRestarts = 20;

const list = createTransferList();
const stops = new Map<number, AbortController>();
/** How often transfers have gone on by themselves. */
const restarts = new WeakMap<Transfer, number>();
/** Looks whether the service is back, while a transfer is stuck. */
let asking: ReturnType<typeof setInterval> | undefined;
let lastId = 0;
let largeSending = 0;

/** The transfers of this tab, the oldest first. */
export const transfers: ReadonlySignal<readonly Transfer[]> = list.all;

/** How far they are together. */
export const progress: ReadonlySignal<Progress> = list.progress;

/** The first that are not finished, and then those that were finished last. Whoever calls it follows `progress`. */
export const firstTransfers = list.first;

type StoredListener = (drive: string, name: string) => void;
const listeners = new Set<StoredListener>();

/** Calls the listener with each file that this tab has stored. Gives a function that ends that. */
export function onStored(listener: StoredListener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The project of the transfers. */
let ownProject = '';

// Nothing is sent after the sign-out. A session that ended by itself can be continued with another key of the project.
effect(() => {
  if (key.value !== undefined) {
    if (project.value !== ownProject) list.setAll([]);
    return;
  }
  const unfinished = list.all.peek().filter(({ state }) => state.peek() !== 'done');
  if (endedBecause.value === undefined) list.setAll([]);
  endAsking();
  for (const transfer of unfinished) pause(transfer);
});

addEventListener('beforeunload', (event) => {
  // Has the browser ask: the user would have to choose the files again.
  if (stops.size > 0 || asking !== undefined) event.preventDefault();
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
      cause: signal(undefined),
    }),
  );
  ownProject = project.peek();
  list.setAll([...list.all.peek(), ...added]);
  startWaiting();
}

/** Stops a transfer; what was sent of it stays, and `resume` continues from there. */
export function pause(transfer: Transfer): void {
  list.setState(transfer, 'paused');
  stops.get(transfer.id)?.abort();
}

/** Resumes a transfer that was paused, is stuck or has failed. */
export function resume(transfer: Transfer): void {
  restarts.delete(transfer);
  setWaiting(transfer);
  restartStuck();
}

function setWaiting(transfer: Transfer): void {
  transfer.problem.value = '';
  transfer.cause.value = undefined;
  list.setState(transfer, 'waiting');
}

/** Resumes all transfers that have failed, except those that cannot succeed, or all that are paused. */
export function resumeAll(which: 'failed' | 'paused'): void {
  const chosen = list.all.peek().filter(({ state, cause }) => state.peek() === which && !cause.peek());
  for (const transfer of chosen) setWaiting(transfer);
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
  list.setAll(list.all.peek().filter((other) => other !== transfer));
  startWaiting();
}

/** Takes all transfers that have not ended off the list, as `cancel` does. */
export function cancelAll(): void {
  const unfinished = list.all.peek().filter(({ state }) => state.peek() !== 'done');
  list.setAll(list.all.peek().filter(({ state }) => state.peek() === 'done'));
  endAsking();
  for (const transfer of unfinished) {
    pause(transfer);
    drop(transfer);
  }
}

/** Takes the finished transfers off the list. */
export function clearDone(): void {
  list.setAll(list.all.peek().filter(({ state }) => state.peek() !== 'done'));
}

/** Deletes an upload that has begun and not ended: docs/http.md#abort-chunked-upload */
export async function abandon({ drive, name, uploadId }: Interrupted): Promise<void> {
  forget({ drive, name });
  const query = `name=${encodeURIComponent(name)}`;
  await requestText('DELETE', `/${encodeURIComponent(drive)}/uploads/${uploadId}?${query}`);
}

function startWaiting(): void {
  // What waits would fail, too.
  if (asking !== undefined) return;
  for (const transfer of list.waiting()) {
    const isSmall = largeSending === 0 && !isLarge(transfer);
    if (stops.size >= (isSmall ? smallAtOnce : atOnce)) return;
    // It was paused and resumed, and its request has not ended yet.
    if (!stops.has(transfer.id)) void run(transfer);
  }
}

const isLarge = ({ file }: Transfer) => file.size > smallBytes;

async function run(transfer: Transfer): Promise<void> {
  const { drive, name, file } = transfer;
  const stop = new AbortController();
  stops.set(transfer.id, stop);
  if (isLarge(transfer)) largeSending++;
  list.setState(transfer, 'sending');
  const speed = createSpeed();
  const beganMs = performance.now();
  const known = interrupted.peek().find((one) => isSame(one, transfer));
  try {
    const onOpen = (uploadId: string) =>
      remember({ drive, name, size: file.size, modified: file.lastModified, uploadId });
    await client()
      .Drive(drive)
      .put(name, file, {
        contentType: file.type || 'application/octet-stream',
        signal: stop.signal,
        // Also against a file that gets the name in the meantime.
        ifNoneMatch: transfer.isReplacing.peek() ? undefined : '*',
        resume: { uploadId: known?.uploadId, onOpen },
        onProgress({ sent: bytes }) {
          list.setSent(transfer, bytes);
          // What an earlier attempt has sent counts in the first moments, and took no time.
          if (performance.now() - beganMs > unmeasuredMs) transfer.speed.value = speed(bytes);
        },
      });
    list.setSent(transfer, file.size);
    list.setState(transfer, 'done');
    forget(transfer);
    for (const listener of listeners) listener(drive, name);
  } catch (cause) {
    if (!isAborted(cause)) await fail(transfer, cause);
  } finally {
    stops.delete(transfer.id);
    if (isLarge(transfer)) largeSending--;
    // The upload may have been opened after it was cancelled.
    if (!list.has(transfer)) drop(transfer);
    startWaiting();
  }
}

/** Says why a transfer has stopped. What passes by itself is tried again. */
async function fail(transfer: Transfer, failure: unknown): Promise<void> {
  const { file, state, problem, cause } = transfer;
  const isReadable = await canBeRead(file);
  const explained = explain(failure);
  // It may have been paused or cancelled meanwhile, or by the end of the session.
  if (state.peek() !== 'sending') return;
  if (statusOf(failure) === 412) {
    cause.value = 'taken';
    problem.value = 'There is a file of this name already';
  } else if (!isReadable) {
    cause.value = 'unreadable';
    problem.value = 'It has changed on your device, or cannot be read any more. Choose it again.';
  } else problem.value = explained;
  const restarted = restarts.get(transfer) ?? 0;
  const isStuck = cause.peek() === undefined && isPassing(failure) && restarted < maxRestarts;
  restarts.set(transfer, restarted + 1);
  list.setState(transfer, isStuck ? 'stuck' : 'failed');
  if (isStuck) asking ??= setInterval(() => void resumeStuck(), askEveryMs);
}

/** Whether the browser still reads a file: not if it was changed or removed since it was chosen. */
async function canBeRead(file: File): Promise<boolean> {
  try {
    await file.slice(0, 1).arrayBuffer();
    return true;
  } catch {
    return false;
  }
}

/** Resumes what is stuck once the service is back. */
async function resumeStuck(): Promise<void> {
  const isWanted = list.progress.peek().counts.stuck > 0;
  if (!isWanted || (await isReady())) restartStuck();
}

/** Resumes what is stuck, and starts what waits. */
function restartStuck(): void {
  endAsking();
  for (const transfer of list.all.peek()) if (transfer.state.peek() === 'stuck') setWaiting(transfer);
  startWaiting();
}

function endAsking(): void {
  clearInterval(asking);
  asking = undefined;
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
