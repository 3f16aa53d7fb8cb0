import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type Client, NoAnswer } from '../../src/model/client.js';
import { expectStatus } from '../../src/model/model.js';
import { bytesOf } from '../../src/random.js';

/** How far each chain is: of chain `n`, the links up to `acknowledged[n]` are stored, and none after `begun[n]`. */
export interface Progress {
  readonly acknowledged: readonly number[];
  readonly begun: readonly number[];
}

export interface ChainLoad {
  progress(): Progress;
  /** Resolves when every chain has this many acknowledged links. */
  reach(links: number): Promise<void>;
  stop(): Promise<void>;
}

const retryMs = 20;
const mib = 1024 * 1024;
const drive = 'chains';
/** On both sides of the size up to which a file is stored in a row. */
const sizes = [1000, 40_000, 300_000];

/**
 * Writes chains: each link of a chain begins when the one before it was acknowledged, so at every moment the store has a
 * beginning of each chain, whole. Links are puts of two items, files and uploads in parts. Beside them, files are
 * overwritten and deleted, and parts are sent again and aborted. A request without an answer is sent again.
 * `abandon` ends all of it at once, for a test that has failed.
 */
export function startChains(client: Client, chains: number, abandon: AbortSignal): ChainLoad {
  let hasEnded = false;
  const isStopped = () => hasEnded || abandon.aborted;
  const acknowledged = new Array<number>(chains).fill(0);
  const begun = new Array<number>(chains).fill(0);
  let failure: unknown;

  async function repeated(work: () => Promise<unknown>): Promise<void> {
    for (;;) {
      try {
        await work();
        return;
      } catch (cause) {
        if (!(cause instanceof NoAnswer) || abandon.aborted) throw cause;
        await wait(retryMs);
      }
    }
  }

  async function chain(number: number): Promise<void> {
    for (let link = 1; !isStopped(); link++) {
      begun[number] = link;
      await repeated(() => writeLink(client, number, link));
      acknowledged[number] = link;
    }
  }

  async function churn(): Promise<void> {
    for (let round = 0; !isStopped(); round++) {
      const name = `churn/${round % 5}`;
      await repeated(() => putFile(client, name, bytesOf(round, 60_000 + round)));
      if (round % 3 === 0) await repeated(() => client.send('DELETE', `${drive}/files`, { names: [name] }));
      await repeated(async () => {
        const id = await beginUpload(client, name);
        for (const seed of [round, round + 1])
          await putPart(client, { name, id, bytes: bytesOf(seed, 50_000) });
        await client.send('DELETE', `${drive}/uploads/${id}?name=${name}`);
      });
    }
  }

  const work = [...acknowledged.keys()].map(chain).concat(churn());
  for (const worker of work) {
    worker.catch((cause) => {
      failure ??= cause;
    });
  }
  return {
    progress: () => ({ acknowledged: [...acknowledged], begun: [...begun] }),
    async reach(links) {
      while (acknowledged.some((count) => count < links)) {
        if (failure !== undefined) throw failure;
        await wait(retryMs);
      }
    },
    async stop() {
      hasEnded = true;
      await Promise.all(work);
    },
  };
}

async function writeLink(client: Client, chain: number, link: number): Promise<void> {
  const name = nameOf(chain, link);
  if (link % 3 === 0) {
    const items = [{ key: `${link}` }, { key: `${link} twin` }];
    expectStatus(name, (await client.send('PUT', `chain${chain}/items`, { items })).status, 207);
  } else if (link % 3 === 1) {
    await putFile(client, name, bytesOfLink(link));
  } else {
    const id = await beginUpload(client, name);
    const bytes = bytesOfLink(link);
    for (let part = 1; (part - 1) * 5 * mib < bytes.length; part++) {
      await putPart(client, { name, id, part, bytes: bytes.subarray((part - 1) * 5 * mib, part * 5 * mib) });
    }
    await endUpload(client, name, id);
  }
}

const nameOf = (chain: number, link: number) => `${chain}/${link}`;

function bytesOfLink(link: number): Buffer {
  return bytesOf(link, link % 60 === 2 ? 5 * mib + link : (sizes[link % sizes.length] ?? 0) + link);
}

export async function putFile(client: Client, name: string, bytes: Buffer): Promise<void> {
  expectStatus(name, (await client.send('POST', `${drive}/files?name=${name}`, bytes)).status, 201);
}

export async function readFileBytes(client: Client, name: string): Promise<Buffer> {
  const { status, body } = await client.send('GET', `${drive}/files/download?name=${name}`);
  expectStatus(name, status, 200);
  return body;
}

export async function deleteFile(client: Client, name: string): Promise<void> {
  expectStatus(name, (await client.send('DELETE', `${drive}/files`, { names: [name] })).status, 200);
}

export async function beginUpload(client: Client, name: string): Promise<string> {
  const { status, body } = await client.send('POST', `${drive}/uploads?name=${name}`);
  expectStatus(name, status, 202);
  return (JSON.parse(body.toString()) as { upload_id: string }).upload_id;
}

export interface SentPart {
  readonly name: string;
  readonly id: string;
  readonly part?: number;
  readonly bytes: Buffer;
}

export async function putPart(client: Client, { name, id, part = 1, bytes }: SentPart): Promise<void> {
  const path = `${drive}/uploads/${id}/parts?name=${name}&part=${part}`;
  expectStatus(name, (await client.send('POST', path, bytes)).status, 200);
}

export async function endUpload(client: Client, name: string, id: string): Promise<void> {
  expectStatus(name, (await client.send('PATCH', `${drive}/uploads/${id}?name=${name}`)).status, 200);
}

export async function abortUpload(client: Client, name: string, id: string): Promise<void> {
  expectStatus(name, (await client.send('DELETE', `${drive}/uploads/${id}?name=${name}`)).status, 200);
}

/**
 * Throws unless an export of the project has of each chain everything that was acknowledged `before` a moment, and
 * nothing that had not begun `after` it: a whole beginning, with the right bytes.
 */
export async function checkChains(folder: string, before: Progress, after: Progress): Promise<void> {
  for (const [chain, least] of before.acknowledged.entries()) {
    const links = new Set<number>();
    const items = JSON.parse(await readFile(join(folder, `bases/chain${chain}.json`), 'utf8')) as {
      key: string;
    }[];
    const keys = new Set(items.map(({ key }) => key));
    for (const key of keys) {
      assert.ok(keys.has(`${Number.parseInt(key, 10)} twin`), `${key} of chain ${chain} has its twin`);
      links.add(Number.parseInt(key, 10));
    }
    for (const name of await readdir(join(folder, `drives/${drive}/${chain}`))) {
      const bytes = await readFile(join(folder, `drives/${drive}/${chain}`, name));
      assert.ok(bytes.equals(bytesOfLink(Number(name))), `the bytes of ${chain}/${name}`);
      links.add(Number(name));
    }
    const last = Math.max(...links);
    const most = after.begun[chain] ?? 0;
    assert.ok(last >= least && last <= most, `chain ${chain} ends at ${last}, between ${least} and ${most}`);
    assert.equal(links.size, last, `chain ${chain} has no gap`);
  }
}
