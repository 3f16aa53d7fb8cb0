import { createHash } from 'node:crypto';
import type { Client, Reply } from '../model/client.js';
import type { EntriesRequest, EntriesSource } from '../model/entries-model.js';
import { afterSteps, type Entries } from '../model/known-entries.js';
import { expectStatus } from '../model/model.js';
import { bytesOf, type Random } from '../random.js';
import type { History, Step } from './history.js';

/** An item or a file under load. */
export interface LoadedModel {
  readonly history: History;
  /** Sends the next request and records it in the history. */
  next(send: Send, random: Random): Promise<void>;
}

/** Sends a request with an id, by which its answer is found in the trace. */
export type Send = (
  id: string,
  request: Pick<EntriesRequest, 'method' | 'path' | 'body' | 'headers'>,
) => Promise<Reply>;

let requests = 0;

function newId(): string {
  requests++;
  return `op-${requests}`;
}

interface Item {
  readonly n: number;
  readonly text: string;
}

/** An item that is put, updated with an increment, deleted and inserted. */
export function loadedItem(key: string, textBytes: number): LoadedModel {
  const steps: Step<Item | null>[] = [];
  const path = `b/items/${key}`;
  return {
    history: {
      name: `item ${key}`,
      before: null,
      steps,
      async read(client) {
        const { status, body } = await client.send('GET', path);
        if (status === 404) return null;
        expectStatus(`get ${key}`, status, 200);
        const { n, text } = JSON.parse(body.toString()) as Item;
        return { n, text: digest(Buffer.from(text)) };
      },
    },
    async next(send, random) {
      const id = newId();
      const current = steps.at(-1)?.after ?? null;
      const text = bytesOf(random.int(1e9), textBytes).toString('base64');
      const item = { n: random.int(100), text: digest(Buffer.from(text)) };
      if (current === null) {
        steps.push({ id, after: item });
        const { status } = await send(id, {
          method: 'POST',
          path: 'b/items',
          body: { item: { key, n: item.n, text } },
        });
        expectStatus(`insert ${key}`, status, 201);
      } else if (random.int(6) === 0) {
        steps.push({ id, after: null });
        expectStatus(`delete ${key}`, (await send(id, { method: 'DELETE', path })).status, 200);
      } else if (random.int(2) === 0) {
        steps.push({ id, after: { ...current, n: current.n + 1 } });
        expectStatus(
          `update ${key}`,
          (await send(id, { method: 'PATCH', path, body: { increment: { n: 1 } } })).status,
          200,
        );
      } else {
        steps.push({ id, after: item });
        const { status } = await send(id, {
          method: 'PUT',
          path: 'b/items',
          body: { items: [{ key, n: item.n, text }] },
        });
        expectStatus(`put ${key}`, status, 207);
      }
    },
  };
}

/** The items of a base or the files of a drive, under the requests that change several of them. */
export function loadedEntries(source: EntriesSource, client: Client): LoadedModel {
  const steps: Step<Record<string, string>>[] = [];
  let current: Entries = new Map();
  return {
    history: {
      name: `${source.kind} of ${source.store}`,
      before: {},
      steps,
      read: async (reader) => Object.fromEntries(await source.read(reader)),
    },
    async next(send, random) {
      const id = newId();
      const request = await source.next(client, current, random);
      const states = request.steps.map((_, done) => afterSteps(current, request.steps.slice(0, done + 1)));
      const between = states.slice(0, -1).map((state) => Object.fromEntries(state));
      const after = states.at(-1) ?? current;
      steps.push({ id, between, after: Object.fromEntries(after) });
      const reply = await send(id, request);
      request.check(reply);
      current = after;
    },
  };
}

interface FileState {
  /** The digest of the file; null: there is no file. */
  readonly file: string | null;
  /** The open upload, and the digest of the file if the upload ended now; null: no upload is open. */
  readonly open: { readonly id: string; readonly digest: string } | null;
}

/** In a row, in a pack, and in a file. */
const sizes = [10, 3000, 20_000, 150_000, 150_000, 1_100_000];

/** A file that is put in one request, uploaded in a part, overwritten and deleted. */
export function loadedFile(name: string): LoadedModel {
  const steps: Step<FileState>[] = [];
  const before: FileState = { file: null, open: null };
  const query = `name=${name}`;
  let part: Buffer = Buffer.alloc(0);
  return {
    history: {
      name: `file ${name}`,
      before,
      steps,
      async read(client, allowed) {
        const file = await fileDigest(client);
        const id = (allowed as FileState[]).find((state) => state.open !== null)?.open?.id;
        if (id === undefined) return { file, open: null };
        const { status } = await client.send('PATCH', `d/uploads/${id}?${query}`);
        if (status === 404) return { file, open: null };
        expectStatus(`end ${name}`, status, 200);
        return { file, open: { id, digest: (await fileDigest(client)) ?? '' } };
      },
    },
    async next(send, random) {
      const id = newId();
      const { file, open } = steps.at(-1)?.after ?? before;
      const bytes = bytesOf(random.int(1e9), random.int(200) + (sizes[random.int(sizes.length)] ?? 0));
      if (open !== null && part.length > 0) {
        steps.push({ id, after: { file: open.digest, open: null } });
        part = Buffer.alloc(0);
        expectStatus(
          `end ${name}`,
          (await send(id, { method: 'PATCH', path: `d/uploads/${open.id}?${query}` })).status,
          200,
        );
      } else if (open !== null) {
        part = bytes;
        steps.push({ id, after: { file, open: { id: open.id, digest: digest(bytes) } } });
        const { status } = await send(id, {
          method: 'POST',
          path: `d/uploads/${open.id}/parts?${query}&part=1`,
          body: bytes,
        });
        expectStatus(`part ${name}`, status, 200);
      } else if (random.int(3) === 0) {
        const { status, body } = await send(id, { method: 'POST', path: `d/uploads?${query}` });
        expectStatus(`begin ${name}`, status, 202);
        const { upload_id: uploadId } = JSON.parse(body.toString()) as { upload_id: string };
        // Only the answer tells the id of the upload, so this step is recorded after it.
        steps.push({ id, after: { file, open: { id: uploadId, digest: digest(Buffer.alloc(0)) } } });
      } else if (file !== null && random.int(4) === 0) {
        steps.push({ id, after: before });
        expectStatus(
          `delete ${name}`,
          (await send(id, { method: 'DELETE', path: 'd/files', body: { names: [name] } })).status,
          200,
        );
      } else {
        steps.push({ id, after: { file: digest(bytes), open: null } });
        expectStatus(
          `put ${name}`,
          (await send(id, { method: 'POST', path: `d/files?${query}`, body: bytes })).status,
          201,
        );
      }
    },
  };

  async function fileDigest(client: Client): Promise<string | null> {
    const { status, body } = await client.send('GET', `d/files/download?${query}`);
    if (status === 404) return null;
    expectStatus(`get ${name}`, status, 200);
    return digest(body);
  }
}

function digest(bytes: Buffer): string {
  return `${bytes.length}:${createHash('sha1').update(bytes).digest('hex')}`;
}
