import { computed, effect, signal } from '@preact/signals';
import type { OwnKeyResponse } from 'basedrive-client';
import { client, key } from './session.js';

const own = signal<OwnKeyResponse | undefined>(undefined);

effect(() => {
  const asked = key.value;
  own.value = undefined;
  if (asked === undefined) return;
  client()
    .keys.own()
    .then(
      (found) => {
        if (key.peek() === asked) own.value = found;
      },
      // Without an answer everything is offered, and the service refuses what the key may not do.
      () => {},
    );
});

/** Whether the key of this tab may change items and files. */
export const mayWrite = computed(() => own.value?.access !== 'read');

/** Whether it may make links, publish files and empty bases and drives. */
export const mayShare = computed(() => own.value === undefined || own.value.access === 'full');

/** Whether it may see which files of a drive are public: docs/http.md#what-each-key-may-do */
export const seesPublic = computed(() => own.value?.prefix === undefined);

/** Whether it may make files public. */
export const mayPublish = computed(() => mayShare.value && seesPublic.value);

/** For how many seconds a link may work; undefined where the service does not say so (docs/http.md#own-key). */
export const maxLinkSeconds = computed(() => own.value?.max_link_seconds);

/** Whether it may create and delete keys. */
export const mayManageKeys = computed(() => own.value?.manages_keys !== false);

/** The names that the key reaches; undefined: all of them. A name that ends in `*` stands for all that begin so. */
export const ownReach = computed(() => {
  const { bases, drives, prefix = '' } = own.value ?? {};
  const isBounded = bases !== undefined || drives !== undefined;
  return {
    isBounded,
    ofBases: isBounded ? (bases ?? []) : undefined,
    ofDrives: isBounded ? (drives ?? []) : undefined,
    prefix,
  };
});

/** The bases or drives that the key reaches, as in `ownReach`. */
export function reachOf(kind: 'bases' | 'drives'): readonly string[] | undefined {
  return kind === 'bases' ? ownReach.value.ofBases : ownReach.value.ofDrives;
}

/** Whether the key may write to a base or a drive beyond those that are there. */
export function mayAdd(kind: 'bases' | 'drives', present: readonly string[]): boolean {
  return mayWrite.value && reachOf(kind)?.every((name) => present.includes(name)) !== true;
}

/** What limits the key, in a few words; empty for a key without limits. */
export const limitText = computed(() => {
  const found = own.value;
  if (found === undefined || found.manages_keys) return '';
  const { access, bases, drives, prefix } = found;
  const places = [...(bases ?? []), ...(drives ?? [])];
  return [
    access === 'read' ? 'read-only' : access === 'write' ? 'read and write' : 'limited',
    ...(places.length > 0 ? [places.join(', ')] : []),
    ...(prefix === undefined ? [] : [`${prefix}…`]),
  ].join(' · ');
});
