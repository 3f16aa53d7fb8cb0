import { useEffect } from 'preact/hooks';
import { mayShare, seesPublic } from '../../api/own-key.js';
import { client, key, perKey } from '../../api/session.js';
import { countOf } from '../../ui/format.js';

/** How long the console offers to keep files. */
export const offered = '30d';

/** By drive, as the service says it: `30d`, or null for no trash (docs/http.md#settings). */
const known = perKey<ReadonlyMap<string, string | null>>(new Map());

/** How long the trash of a drive keeps files; null: there is none. Undefined while it is not known. */
export function trashOf(drive: string): string | null | undefined {
  return known.value.get(drive);
}

/** Whether the key may set it. */
export const maySetTrash = () => mayShare.value && seesPublic.value;

/** Knows the trash of a drive while it is shown. */
export function useTrash(drive: string): void {
  const isSeen = seesPublic.value;
  useEffect(() => {
    const ended = new AbortController();
    // Without an answer nothing is said of a trash.
    if (isSeen) {
      client()
        .Drive(drive)
        .settings({ signal: ended.signal })
        .then(({ trash }) => note(drive, trash))
        .catch(() => {});
    }
    return () => ended.abort();
  }, [drive, isSeen]);
}

/** Sets how long the trash of a drive keeps files: `30d`, or `0s` for no trash. */
export async function setTrash(drive: string, time: string): Promise<void> {
  const asked = key.peek();
  const { trash } = await client().Drive(drive).changeSettings({ trash: time });
  if (key.peek() === asked) note(drive, trash);
}

function note(drive: string, trash: string | null): void {
  known.value = new Map(known.peek()).set(drive, trash);
}

const nouns: Readonly<Record<string, string>> = { s: 'second', m: 'minute', h: 'hour', d: 'day' };

/** A time of the settings for people: `30 days`. */
export function timeText(time: string): string {
  const [, count = '', unit = ''] = /^(\d+)([smhd])$/.exec(time) ?? [];
  const noun = nouns[unit];
  return noun === undefined ? time : countOf(Number(count), noun);
}
