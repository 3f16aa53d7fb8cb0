import type { Client } from './client.js';
import { bytesOf, type Random } from './random.js';
import { expectStatus, type Known, known, type Subject } from './subject.js';

/** What a file holds: parts, each the bytes of a seed. */
export type Content = readonly { readonly seed: number; readonly size: number }[];

function contentBytes(content: Content): Buffer {
  return Buffer.concat(content.map(({ seed, size }) => bytesOf(seed, size)));
}

/** Sizes on both sides of where the service keeps small files apart from large ones. */
const sizes = [0, 1, 500, 4_000, 16_000, 17_000, 100_000, 400_000];

/** A file that is put whole, overwritten and deleted. */
export function fileSubject(drive: string, name: string): Subject {
  const state = known<Content | undefined>(undefined);
  return {
    name: `file ${name}`,
    async act(client, random) {
      if (random.int(5) === 0) return deleteFile(client, drive, name, state);
      const content = [{ seed: random.int(1e9), size: random.pick(sizes) }];
      await state.advance(content, async () => {
        const path = `${drive}/files?name=${encodeURIComponent(name)}`;
        expectStatus(`put ${name}`, (await client.send('POST', path, contentBytes(content))).status, 201);
      });
    },
    check: (client) => checkFile(client, drive, name, state),
  };
}

export async function deleteFile(
  client: Client,
  drive: string,
  name: string,
  state: Known<Content | undefined>,
): Promise<void> {
  await state.advance(undefined, async () => {
    const { status } = await client.send('DELETE', `${drive}/files`, { names: [name] });
    expectStatus(`delete ${name}`, status, 200);
  });
}

/** Byte for byte: a file is there whole, or not at all. */
export async function checkFile(
  client: Client,
  drive: string,
  name: string,
  state: Known<Content | undefined>,
): Promise<readonly string[]> {
  const reply = await client.send('GET', `${drive}/files/download?name=${encodeURIComponent(name)}`);
  if (reply.status !== 200 && reply.status !== 404) return [`file ${name}: ${reply.status}`];
  const same = state.settle((content) =>
    content === undefined
      ? reply.status === 404
      : reply.status === 200 && contentBytes(content).equals(reply.body),
  );
  const found = reply.status === 404 ? 'nothing' : `${reply.body.length} bytes`;
  return same ? [] : [`file ${name}: found ${found}, acknowledged ${JSON.stringify(state.current)}`];
}

export function randomSize(random: Random): number {
  return random.pick(sizes);
}
