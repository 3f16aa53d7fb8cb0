import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Entry, FileFacts } from '../src/drives/entry.js';
import { inMoveOrder, type NameOf, newName, stillTaken } from '../src/drives/moves/move-order.js';

/** Paths with few letters, so that folders have folders of their own name in them. */
const parts = (minLength: number) => fc.array(fc.constantFrom('a', 'b'), { minLength, maxLength: 4 });
const folderOf = (some: readonly string[]) => some.map((part) => `${part}/`).join('');
/** A folder, and one above it; and names of files, most of them below the folder. */
const place = fc
  .record({ path: parts(1), kept: fc.nat(3), below: fc.array(parts(1)), others: fc.array(parts(1)) })
  .map(({ path, kept, below, others }) => {
    const folder = folderOf(path);
    const names = [...below.map((some) => folder + some.join('/')), ...others.map((some) => some.join('/'))];
    return { folder, above: folderOf(path.slice(0, Math.min(kept, path.length - 1))), names };
  });

/** What List Files gives, a page after the other: each has what is there when it is asked for. */
async function* listOf(
  drive: ReadonlyMap<string, string>,
  prefix: string,
  pageSize: number,
): AsyncGenerator<string> {
  let last = '';
  for (;;) {
    const below = [...drive.keys()].filter((name) => name.startsWith(prefix) && name > last).sort();
    yield* below.slice(0, pageSize);
    if (below.length <= pageSize) return;
    last = below[pageSize - 1] ?? '';
  }
}

/** Moves files as the service does: all at once, and none to a name that is taken. */
function moveAtOnce(drive: Map<string, string>, pairs: readonly (readonly [string, string])[]): void {
  const contents = pairs.map(([from]) => drive.get(from) ?? assert.fail(`${from} is gone`));
  for (const [from] of pairs) drive.delete(from);
  pairs.forEach(([from, to], at) => {
    assert.ok(!drive.has(to), `${from} gets the name ${to}, which is taken`);
    drive.set(to, contents[at] ?? '');
  });
}

const entryOf = (name: string, folder: string): Entry => ({
  name,
  label: name.slice(folder.length),
  below: '',
  file: name.endsWith('/') ? undefined : ({ name } as FileFacts),
});
const entriesOf = (drive: ReadonlyMap<string, string>, folder: string) =>
  [
    ...new Set(
      [...drive.keys()]
        .filter((name) => name.startsWith(folder))
        .map((name) => /^[^/]+\/?/.exec(name.slice(folder.length))?.[0] ?? ''),
    ),
  ].map((label) => entryOf(folder + label, folder));

interface Steps {
  readonly stepSize: number;
  readonly pageSize: number;
}

/** Moves entries in steps while it lists them. Files whose new names stay taken are left. */
async function moveInSteps(
  drive: Map<string, string>,
  entries: readonly Entry[],
  nameOf: NameOf,
  { stepSize, pageSize }: Steps,
): Promise<void> {
  const below = (prefix: string) => listOf(drive, prefix, pageSize);
  const before = new Set(drive.keys());
  const expected = new Map(drive);
  const targets = new Set<string>();
  for await (const file of inMoveOrder(entries, nameOf, below)) {
    expected.delete(file.name);
    targets.add(newName(file, nameOf));
  }
  const left = new Set(stillTaken(new Set([...targets].filter((name) => before.has(name))), entries, nameOf));
  for await (const file of inMoveOrder(entries, nameOf, below)) {
    const to = newName(file, nameOf);
    expected.set(left.has(to) ? file.name : to, file.name);
  }

  let step: (readonly [string, string])[] = [];
  for await (const file of inMoveOrder(entries, nameOf, below)) {
    const to = newName(file, nameOf);
    if (!left.has(to)) step.push([file.name, to]);
    if (step.length < stepSize) continue;
    moveAtOnce(drive, step);
    step = [];
  }
  moveAtOnce(drive, step);
  assert.deepEqual(new Map([...drive].sort()), new Map([...expected].sort()));
}

const driveOf = (names: readonly string[]) => new Map(names.map((name) => [name, name]));
const steps = fc.record({
  stepSize: fc.integer({ min: 1, max: 6 }),
  pageSize: fc.integer({ min: 1, max: 6 }),
});

test('a folder that moves up in steps leaves nothing behind and moves nothing twice', () =>
  fc.assert(
    fc.asyncProperty(place, steps, ({ folder, above, names }, sizes) =>
      moveInSteps(driveOf(names), [entryOf(folder, '')], () => above, sizes),
    ),
    { numRuns: 500 },
  ));

test('entries that move to a folder above do not get into the way of each other', () =>
  fc.assert(
    fc.asyncProperty(place, steps, ({ folder, above, names }, sizes) => {
      const drive = driveOf(names);
      return moveInSteps(drive, entriesOf(drive, folder), ({ label }) => above + label, sizes);
    }),
    { numRuns: 500 },
  ));

test('a name that is given up by the same move is free, unless its file cannot move', () => {
  const entries = [entryOf('a/b/', 'a/')];
  const taken = (...names: string[]) => stillTaken(new Set(names), entries, () => 'a/');
  assert.deepEqual(taken('a/b/x'), []);
  assert.deepEqual(taken('a/x'), ['a/x']);
  assert.deepEqual(taken('a/b/x', 'a/x', 'a/b/y'), ['a/b/x', 'a/x']);
});
