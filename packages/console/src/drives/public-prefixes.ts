import { effect, type ReadonlySignal, signal } from '@preact/signals';
import { client, key } from '../api/session.js';

/** What is public of a drive: docs/http.md#public-prefixes */
interface PublicPrefixes {
  readonly drive: string;
  /** Each ends in `/`. */
  readonly prefixes: readonly string[];
  /** Seconds for which caches may keep a public file. */
  readonly maxAge: number;
}

const known = signal<PublicPrefixes | undefined>(undefined);

/** The public prefixes of the drive that is shown; undefined until they are read, and if the key may not see them. */
export const publicPrefixes: ReadonlySignal<PublicPrefixes | undefined> = known;

// Nothing of another key's project is shown.
effect(() => {
  if (key.value === undefined) known.value = undefined;
});

/** Reads the public prefixes of a drive. */
export async function readPublic(drive: string, signal?: AbortSignal): Promise<PublicPrefixes> {
  const { prefixes, max_age } = await client().Drive(drive).published({ signal });
  const found = { drive, prefixes, maxAge: max_age };
  known.value = found;
  return found;
}

/** Forgets what was read of another drive. */
export function forgetPublic(): void {
  known.value = undefined;
}

/** Makes all files public whose names begin with a prefix, which ends in `/`. The other prefixes stay. */
export async function makePublic(drive: string, prefix: string): Promise<void> {
  await change(drive, (prefixes) => [...prefixes, prefix]);
}

/** Makes the files of a prefix private again, unless another prefix has them. */
export async function stopSharing(drive: string, prefix: string): Promise<void> {
  await change(drive, (prefixes) => prefixes.filter((other) => other !== prefix));
}

/** The service takes the whole list: it is read anew, so that what others have changed meanwhile stays. */
async function change(drive: string, to: (prefixes: readonly string[]) => readonly string[]): Promise<void> {
  const { prefixes, maxAge } = await readPublic(drive);
  const changed = await client().Drive(drive).publish(to(prefixes), { maxAge });
  known.value = { drive, prefixes: changed.prefixes, maxAge: changed.max_age };
}

/** The longest public prefix of the shown drive with which a name begins; undefined for a name that is not public. */
export function publicPrefixOf(name: string): string | undefined {
  const all = known.value?.prefixes ?? [];
  return all.filter((prefix) => name.startsWith(prefix)).toSorted((a, b) => b.length - a.length)[0];
}

/** The address of a public file, or of a folder with its `/`; undefined for a name that no browser can ask for. */
export function publicAddress(drive: string, name: string): string | undefined {
  try {
    return client().Drive(drive).publicUrl(name);
  } catch {
    return undefined;
  }
}
