import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { type Fleet, startFleet } from '../../src/kills/fleet.js';
import { createOutage } from '../../src/kills/outage.js';
import { Tally } from '../../src/kills/tally.js';
import { type Client, createClient } from '../../src/model/client.js';
import { expectStatus } from '../../src/model/model.js';
import { bytesOf, createRandom } from '../../src/random.js';
import { checkStore, dataFlags, isOrphan, runCommand, startServer } from '../../src/server-process.js';
import type { TestPostgres } from '../../src/services/postgres.js';
import {
  abortUpload,
  beginUpload,
  type ChainLoad,
  checkChains,
  deleteFile,
  endUpload,
  type Progress,
  putFile,
  putPart,
  readFileBytes,
  startChains,
} from './chains.js';
import { type Place, runTyped } from './page-commands.js';

/** Where the rows are and where the bytes are, as `--items` and `--blobs` name them. */
export interface StorePlace {
  readonly items: string;
  readonly blobs: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Servers under load that are backed up: first the rows, then the bytes. */
export interface LoadedServers {
  readonly load: ChainLoad;
  /** Kills a server and starts it again, over and over, while `work` runs. Gives the result of `work`. */
  killedDuring<T>(work: () => Promise<T>): Promise<T>;
  /** Changes everything that `restored` checks later, and waits until maintenance has handled it. */
  discardNamedBytes(): Promise<void>;
  /** Ends the load and the servers. */
  stop(): Promise<void>;
}

const key = 'shop_0123456789';
const project = 'shop';
const chains = 6;
const servers = 2;
const shortestRunMs = 300;

/** Files and parts whose bytes lose their names between the save of the rows and the copy of the bytes. */
const named = {
  overwritten: bytesOf(11, 100_000),
  deleted: bytesOf(12, 100_000),
  'sent-again': bytesOf(13, 100_000),
  aborted: bytesOf(14, 100_000),
};

export async function temporaryFolder(context: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'basedrive-backup-'));
  context.after(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));
  return folder;
}

/** Starts servers over rows and bytes, with the option that the page asks for, and loads them. */
export async function startLoaded(
  context: TestContext,
  { items, blobs, environment }: StorePlace,
  postgres: TestPostgres,
  grace: readonly string[],
): Promise<LoadedServers> {
  await runCommand(['migrate', '--items', items]);
  const folder = await temporaryFolder(context);
  const tally = new Tally();
  const flags = ['--items', items, '--blobs', blobs, ...grace];
  const fleet: Fleet = await startFleet({
    size: servers,
    start: (n) => startServer([...dataFlags(join(folder, `${n}`), key, 'warn'), ...flags], { environment }),
    key,
    connections: chains + 2,
    tally,
    outage: createOutage(),
  });
  const abandon = new AbortController();
  context.after(() => {
    abandon.abort();
    return fleet.stop();
  });
  const client = fleet.client(createRandom(1));
  const load = startChains(client, chains, abandon.signal);
  const uploads: Record<string, string> = {};
  await putFile(client, 'overwritten', named.overwritten);
  await putFile(client, 'deleted', named.deleted);
  for (const name of ['sent-again', 'aborted'] as const) {
    uploads[name] = await beginUpload(client, name);
    await putPart(client, { name, id: uploads[name], bytes: named[name] });
  }

  return {
    load,
    async killedDuring(work) {
      let isDone = false;
      let kills = 0;
      const killing = async () => {
        for (let n = 0; !isDone || kills === 0; n = (n + 1) % servers) {
          await fleet.kill(n);
          kills++;
          await fleet.restart(n);
          await wait(shortestRunMs);
        }
      };
      const killed = killing();
      try {
        return await work();
      } finally {
        isDone = true;
        await killed;
      }
    },
    async discardNamedBytes() {
      await putFile(client, 'overwritten', bytesOf(1, 100_000));
      await deleteFile(client, 'deleted');
      await putPart(client, {
        name: 'sent-again',
        id: uploads['sent-again'] ?? '',
        bytes: bytesOf(1, 90_000),
      });
      await abortUpload(client, 'aborted', uploads.aborted ?? '');
      // Maintenance handles rows in the order of their due times: those above first, if they are due.
      const expired = { key: 'expired', __expires: Math.floor(Date.now() / 1000) + 1 };
      expectStatus('expired', (await client.send('PUT', 'canary/items', { items: [expired] })).status, 207);
      const rows = `SELECT count(*) FROM basedrive_rows WHERE space = 'base/${project}/canary'::bytea AND due IS NOT NULL`;
      while ((await postgres.ask(rows, new URL(items).pathname.slice(1)))[0] !== '0') await wait(50);
    },
    async stop() {
      await load.stop();
      await fleet.stop();
      assert.deepEqual(tally.findings, []);
    },
  };
}

export interface Restored extends StorePlace {
  /** What was acknowledged before the moment of the backup, and what had begun after it. */
  readonly before: Progress;
  readonly after: Progress;
  /** The commands of the page that check what was restored. */
  readonly checks: readonly string[];
  readonly place: Place;
}

/** Throws unless what was restored is whole and is of the moment of the backup. */
export async function checkRestored(context: TestContext, restored: Restored): Promise<void> {
  const { items, blobs, environment, before, after, checks, place } = restored;
  const flags = ['--items', items, '--blobs', blobs];
  const folder = await temporaryFolder(context);
  const problems = await checkStore(['--data', folder, ...flags], environment);
  assert.deepEqual(
    problems.filter((problem) => !isOrphan(problem)),
    [],
  );
  for (const command of checks) await runTyped(command, place);

  const exported = join(folder, 'export');
  const store = { ...environment, BASEDRIVE_ITEMS: items, BASEDRIVE_BLOBS: blobs };
  const server = await startServer([...dataFlags(folder, key, 'warn'), ...flags], { environment });
  const client: Client = createClient(server.port, key, 4);
  try {
    const page = await client.send('GET', 'chains/uploads');
    const { uploads } = JSON.parse(page.body.toString()) as {
      uploads: { upload_id: string; name: string }[];
    };
    for (const { upload_id: id, name } of uploads) if (name in named) await endUpload(client, name, id);
    for (const [name, bytes] of Object.entries(named)) {
      assert.ok((await readFileBytes(client, name)).equals(bytes), `${name} has the bytes of the moment`);
    }
  } finally {
    client.close();
    await server.stop();
  }
  const command = `npm run -s basedrive -- export ${exported} --project ${project}`;
  await runTyped(command, { cwd: folder, environment: store, words: {} });
  await checkChains(exported, before, after);
}
