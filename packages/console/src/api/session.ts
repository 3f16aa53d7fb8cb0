import { computed, signal } from '@preact/signals';
import { Basedrive } from 'basedrive-client';
import { serviceAddress } from './address.js';

/** The session storage of the tab is the only place that has the key, and it ends with the tab. */
const storageName = 'basedrive-key';

/** The key of this tab, or undefined before the sign-in. */
export const key = signal<string | undefined>(sessionStorage.getItem(storageName) ?? undefined);

/** The project of the key: the text before its first `_`. */
export const project = computed(() => key.value?.split('_', 1)[0] ?? '');

/** Why the last session ended, for the sign-in page. */
export const endedBecause = signal<string | undefined>(undefined);

/** Keeps a key that was found valid. */
export function signIn(valid: string): void {
  sessionStorage.setItem(storageName, valid);
  endedBecause.value = undefined;
  key.value = valid;
}

/** Forgets the key. `reason` is shown on the sign-in page. */
export function signOut(reason?: string): void {
  sessionStorage.removeItem(storageName);
  endedBecause.value = reason;
  key.value = undefined;
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
