import type { PublicPrefixesResponse } from 'basedrive-client';
import { useEffect } from 'preact/hooks';
import { seesPublic } from '../../api/own-key.js';
import { client, key, perKey } from '../../api/session.js';

/** What is public of a drive: docs/http.md#public-prefixes */
export interface PublicPrefixes {
  /** Each ends in `/`. */
  readonly prefixes: readonly string[];
  /** Seconds for which caches may keep a public file. */
  readonly maxAge: number;
}

/** By drive: an answer may come after another drive was opened. */
const known = perKey<ReadonlyMap<string, PublicPrefixes>>(new Map());

/** What is public of a drive; undefined until it is read, and if the key may not see it. */
export function publicOf(drive: string): PublicPrefixes | undefined {
  return known.value.get(drive);
}

/** Reads the public prefixes of a drive. */
export async function readPublic(drive: string, signal?: AbortSignal): Promise<PublicPrefixes> {
  return await note(drive, client().Drive(drive).published({ signal }));
}

/** Knows what is public of a drive while it is shown. */
export function usePublic(drive: string): void {
  const isSeen = seesPublic.value;
  useEffect(() => {
    const ended = new AbortController();
    // Without an answer nothing is marked; the dialog asks again, and tells why there is none.
    if (isSeen) readPublic(drive, ended.signal).catch(() => {});
    return () => {
      ended.abort();
      known.value = new Map([...known.peek()].filter(([other]) => other !== drive));
    };
  }, [drive, isSeen]);
}

/** Makes all files public whose names begin with a prefix, which ends in `/`. The other prefixes stay. */
export async function makePublic(drive: string, prefix: string): Promise<void> {
  await change(drive, (prefixes) => [...prefixes, prefix]);
}

/** Makes the files of a prefix private again, unless another prefix has them. */
export async function stopSharing(drive: string, prefix: string): Promise<void> {
  await change(drive, (prefixes) => prefixes.filter((other) => other !== prefix));
}

/** The service takes the whole list: it is read anew, so that what others have changed in the meantime stays. */
async function change(drive: string, to: (prefixes: readonly string[]) => readonly string[]): Promise<void> {
  const asked = key.peek();
  const { prefixes, maxAge } = await readPublic(drive);
  if (key.peek() !== asked) return;
  await note(drive, client().Drive(drive).publish(to(prefixes), { maxAge }));
}

/** Keeps an answer about a drive, if it is still of the key of this tab. */
async function note(drive: string, answer: Promise<PublicPrefixesResponse>): Promise<PublicPrefixes> {
  const asked = key.peek();
  const { prefixes, max_age } = await answer;
  const found = { prefixes, maxAge: max_age };
  if (key.peek() === asked) known.value = new Map(known.peek()).set(drive, found);
  return found;
}

/** The longest public prefix of a drive with which a name begins; undefined for a name that is not public. */
export function publicPrefixOf(drive: string, name: string): string | undefined {
  const all = publicOf(drive)?.prefixes ?? [];
  return all.filter((prefix) => name.startsWith(prefix)).toSorted((a, b) => b.length - a.length)[0];
}

/** The public prefixes of a drive that are a folder, or folders in it. `folder` ends in `/`, or is empty for all. */
export function publicPrefixesBelow(drive: string, folder: string): readonly string[] {
  return publicOf(drive)?.prefixes.filter((prefix) => prefix.startsWith(folder)) ?? [];
}

/** The address of a public file, or of a folder with its `/`; undefined for a name that no browser can ask for. */
export function publicAddress(drive: string, name: string): string | undefined {
  try {
    return client().Drive(drive).publicUrl(name);
  } catch {
    return undefined;
  }
}
