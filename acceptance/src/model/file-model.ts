import { bytesOf, type Random } from '../random.js';
import type { Client } from './client.js';
import { expectStatus, type Finding, type KnownState, knownState, lost, type Model } from './model.js';

/** The content of a file: parts, each generated from a seed. */
export type Content = readonly { readonly seed: number; readonly size: number }[];

function contentBytes(content: Content): Buffer {
  return Buffer.concat(content.map(({ seed, size }) => bytesOf(seed, size)));
}

/** Sizes on both sides of the limit up to which the service stores a file in a row. */
const sizes = [0, 1, 500, 4_000, 16_000, 17_000, 100_000, 400_000];

/** A file that is put in one request, overwritten and deleted. */
export function fileModel(drive: string, name: string, ofSizes: readonly number[] = sizes): Model {
  const state = knownState<Content | undefined>(undefined);
  return {
    name: `file ${name}`,
    list: { kind: 'files', store: drive, names: [name] },
    get exists() {
      return state.current !== undefined;
    },
    get isInDoubt() {
      return state.isInDoubt;
    },
    async act(client, random) {
      if (random.int(5) === 0) return deleteFile(client, drive, name, state);
      const content = [{ seed: random.int(1e9), size: random.pick(ofSizes) }];
      await state.advance(content, async () => {
        const path = `${drive}/files?name=${encodeURIComponent(name)}`;
        expectStatus(`put ${name}`, (await client.send('POST', path, contentBytes(content))).status, 201);
      });
    },
    observe: (client) => compareFile(client, { drive, name }, state, 'observe'),
    verify: (client) => compareFile(client, { drive, name }, state, 'resolve'),
  };
}

export async function deleteFile(
  client: Client,
  drive: string,
  name: string,
  state: KnownState<Content | undefined>,
): Promise<void> {
  await state.advance(undefined, async () => {
    const { status } = await client.send('DELETE', `${drive}/files`, { names: [name] });
    expectStatus(`delete ${name}`, status, 200);
  });
}

/** Compares the file byte for byte: it is stored as a whole, or not at all. */
export async function compareFile(
  client: Client,
  { drive, name }: { readonly drive: string; readonly name: string },
  state: KnownState<Content | undefined>,
  how: 'observe' | 'resolve',
): Promise<readonly Finding[]> {
  const reply = await client.send('GET', `${drive}/files/download?name=${encodeURIComponent(name)}`);
  expectStatus(`get ${name}`, reply.status, 200, 404);
  const current = state.current;
  const same = state[how]((content) =>
    content === undefined
      ? reply.status === 404
      : reply.status === 200 && contentBytes(content).equals(reply.body),
  );
  const found = reply.status === 404 ? 'nothing' : `${reply.body.length} bytes`;
  return same ? [] : [lost(`file ${name}: found ${found}, acknowledged ${JSON.stringify(current)}`)];
}

export function randomSize(random: Random): number {
  return random.pick(sizes);
}
