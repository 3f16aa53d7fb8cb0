import { bases, drives, findNames } from '../../api/catalog.js';
import { client } from '../../api/session.js';
import { sideBySide } from '../../api/side-by-side.js';
import { readPage } from '../../bases/base-api.js';
import { route } from '../../router.js';
import { baseTarget, driveTarget } from './local-targets.js';
import { shownOfEach, type Target } from './target.js';

/** Bases and drives in which a text is looked for, that of the screen first. */
const maxPlaces = 8;
/** Found in each of them. */
const perPlace = 4;

/** Bases whose names begin with a text, loaded or not. */
export async function findBases(text: string): Promise<readonly Target[]> {
  return (await findNames('bases', text, shownOfEach)).map(baseTarget);
}

export async function findDrives(text: string): Promise<readonly Target[]> {
  return (await findNames('drives', text, shownOfEach)).map(driveTarget);
}

/** Items whose keys begin with a text. */
export async function findItems(text: string, signal: AbortSignal): Promise<readonly Target[]> {
  const query = `{"key?pfx":${JSON.stringify(text)}}`;
  const request = { query, order: [], isDescending: false, limit: perPlace, isKeysOnly: true };
  const found = await sideBySide(namesFirst('bases', bases.names.peek()), async (base) => {
    const { rows } = await unlessRefused(readPage(base, request, signal), { rows: [], last: undefined });
    return rows.map(
      ({ key }): Target => ({
        icon: 'braces',
        text: key,
        where: base,
        to: { screen: 'bases', name: base, parameters: { item: key } },
      }),
    );
  });
  return found.flat().slice(0, 2 * shownOfEach);
}

/** Files whose names contain a text, byte for byte. */
export async function findFiles(text: string, signal: AbortSignal): Promise<readonly Target[]> {
  const found = await sideBySide(namesFirst('drives', drives.names.peek()), async (drive) => {
    const list = client().Drive(drive).list({ contains: text, limit: perPlace, signal });
    const { names } = await unlessRefused(list, { names: [] });
    return names.map((name) => fileTarget(drive, name));
  });
  return found.flat().slice(0, 2 * shownOfEach);
}

function fileTarget(drive: string, name: string): Target {
  const folder = name.slice(0, name.lastIndexOf('/') + 1);
  return {
    icon: 'file',
    text: name,
    where: drive,
    to: { screen: 'drives', name: drive, parameters: { folder, file: name } },
  };
}

/** The names in which something is looked for: that of the screen comes first. */
function namesFirst(screen: 'bases' | 'drives', names: readonly string[]): readonly string[] {
  const present = route.peek();
  const here = present.screen === screen ? [present.name] : [];
  return [...new Set([...here, ...names])].slice(0, maxPlaces);
}

/** A limited key may not read all places: what one of them refuses is not found there. */
async function unlessRefused<Found>(found: Promise<Found>, none: Found): Promise<Found> {
  try {
    return await found;
  } catch (cause) {
    if ((cause as { readonly status?: unknown }).status === 403) return none;
    throw cause;
  }
}
