import { computed, effect, type Signal, signal } from '@preact/signals';
import { Basedrive } from 'basedrive-client';
import { serviceAddress } from './address.js';
import { deviceStorage, tabStorage } from './storage.js';

/** The session storage of the tab has the key, and ends with the tab; that of the device, too, if somebody wants it so. */
const storageName = 'basedrive-key';

const kept = deviceStorage.getItem(storageName);
// The tab stays with its key, whatever another one keeps later.
if (kept !== null && tabStorage.getItem(storageName) === null) tabStorage.setItem(storageName, kept);

/** The key of this tab, or undefined before the sign-in. */
export const key = signal<string | undefined>(tabStorage.getItem(storageName) ?? undefined);

addEventListener('storage', ({ key: name, oldValue, newValue }) => {
  if (name === storageName && newValue === null && oldValue === key.peek())
    signOut('Signed out in another tab.');
});

/** The project of the key: the text before its first `_`. */
export const project = computed(() => key.value?.split('_', 1)[0] ?? '');

/** Why the last session ended, for the sign-in page. */
export const endedBecause = signal<string | undefined>(undefined);

/** Keeps a key that was found valid, in the tab or on the device. */
export function signIn(valid: string, { isKept }: { readonly isKept: boolean }): void {
  tabStorage.setItem(storageName, valid);
  if (isKept) deviceStorage.setItem(storageName, valid);
  // In this order: without a key and without a reason somebody has signed out, and what is not saved is forgotten.
  key.value = valid;
  endedBecause.value = undefined;
}

/** Forgets the key. `reason` is shown on the sign-in page. */
export function signOut(reason?: string): void {
  if (deviceStorage.getItem(storageName) === key.peek()) deviceStorage.removeItem(storageName);
  tabStorage.removeItem(storageName);
  endedBecause.value = reason;
  key.value = undefined;
}

/** A signal that begins anew with each key: nothing of the project of another key is shown, or done with this one. */
export function perKey<Value>(start: Value): Signal<Value> {
  const present = signal(start);
  effect(() => {
    void key.value;
    present.value = start;
  });
  return present;
}

/** The client library with the key of this tab. Items are read by `base-api.ts`, which keeps their text. */
export function client(): ReturnType<typeof Basedrive> {
  return Basedrive(key.value, { url: serviceAddress });
}

/** Whether the service accepts a key. Rejects with the error of the service if it does not. */
export async function checkKey(candidate: string): Promise<void> {
  await Basedrive(candidate, { url: serviceAddress, retry: { times: 0 } })
    .bases()
    .next();
}
