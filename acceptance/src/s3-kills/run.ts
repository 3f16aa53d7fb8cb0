import {
  CreateBucketCommand,
  GetObjectCommand,
  NoSuchKey,
  paginateListObjectsV2,
  S3Client,
} from '@aws-sdk/client-s3';
import { createApi } from '../api.js';
import { createRandom } from '../random.js';
import { checkStore, dataFlags, isOrphan, type ServerProcess, startServer } from '../server-process.js';
import { bucket, type Held, type Holdings, heldOf, nextChange, nothing } from './objects.js';

const key = 'shop_s3cret';
const writers = 6;
const keysEach = 4;

export interface S3KillsOptions {
  readonly folder: string;
  readonly kills: number;
  readonly seed: number;
}

export interface S3KillsReport {
  readonly kills: number;
  readonly acknowledged: number;
  /** Changes that a kill hit, so that the key may hold the old or the new. */
  readonly inDoubt: number;
  /** What was lost, is other than it was, or has a name and no bytes. */
  readonly faults: readonly string[];
}

/**
 * Writers put, copy, delete and upload in parts, each to its own keys, and the server is killed with SIGKILL after a random
 * number of requests. After each start, every key must hold what was acknowledged last, or what was in progress.
 */
export async function runS3Kills({ folder, kills, seed }: S3KillsOptions): Promise<S3KillsReport> {
  const random = createRandom(seed);
  const holdings: Holdings = new Map();
  const faults: string[] = [];
  let [acknowledged, inDoubt] = [0, 0];
  let credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | undefined;
  for (let kill = 0; kill <= kills; kill++) {
    const server = await startServer(dataFlags(folder, key));
    credentials ??= await makeCredentials(server);
    const client = clientOf(server, credentials);
    if (kill === 0) await client.send(new CreateBucketCommand({ Bucket: bucket }));
    else faults.push(...(await compare(client, holdings)));
    if (kill === kills) {
      client.destroy();
      await server.stop();
      break;
    }
    let left = 10 + random.int(60);
    let isKilled = false;
    const onRequest = () => {
      if (--left !== 0) return;
      isKilled = true;
      void server.kill();
    };
    client.middlewareStack.add(
      (next) => (call) => {
        onRequest();
        return next(call);
      },
      { step: 'finalizeRequest' },
    );
    const write = async (writer: number) => {
      while (!isKilled) {
        const name = `${writer}/${random.int(keysEach)}`;
        const change = nextChange(random, name, certain(holdings, `${writer}/`));
        const before = holdings.get(name) ?? new Set([nothing]);
        holdings.set(name, new Set([...before, ...(change.makes === undefined ? [] : [change.makes])]));
        try {
          await change.run(client);
          holdings.set(name, change.makes === undefined ? before : new Set([change.makes]));
          acknowledged++;
        } catch (cause) {
          if (!isKilled) faults.push(`${name}: ${String(cause)}`);
          inDoubt++;
        }
      }
    };
    await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)));
    await server.ended;
    client.destroy();
  }
  for (const found of await checkStore(['--data', folder])) {
    // A request that a kill cuts off may leave its blob without a row; maintenance removes it in time.
    if (!isOrphan(found)) faults.push(`check: ${found.where} ${found.key} ${found.problem}`);
  }
  return { kills, acknowledged, inDoubt, faults };
}

/** The keys that begin with this, and of which it is known what they hold. */
function certain(holdings: Holdings, begin: string): ReadonlyMap<string, Held> {
  const sure = [...holdings].filter(([name, held]) => name.startsWith(begin) && held.size === 1);
  return new Map(sure.map(([name, held]) => [name, [...held][0] as Held]));
}

/** What is wrong after a start. From then on, each key holds what was found. */
async function compare(client: S3Client, holdings: Holdings): Promise<readonly string[]> {
  const faults: string[] = [];
  const sizes = new Map<string, number>();
  for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket: bucket })) {
    for (const { Key = '', Size = -1 } of Contents) sizes.set(Key, Size);
  }
  for (const [name, possible] of holdings) {
    const bytes = await read(client, name).catch((cause) => String(cause));
    if (typeof bytes === 'string') {
      faults.push(`${name} cannot be read: ${bytes}`);
      continue;
    }
    const held = bytes === undefined ? nothing : heldOf(bytes);
    if (!possible.has(held)) faults.push(`${name} holds ${held}, not one of ${[...possible].join(', ')}`);
    if (sizes.get(name) !== bytes?.length) faults.push(`${name} is listed with ${sizes.get(name)} bytes`);
    sizes.delete(name);
    holdings.set(name, new Set([held]));
  }
  for (const name of sizes.keys()) faults.push(`${name} is listed, and nobody put it`);
  return faults;
}

async function read(client: S3Client, name: string): Promise<Uint8Array | undefined> {
  try {
    const asked = { Bucket: bucket, Key: name, ChecksumMode: 'ENABLED' } as const;
    return await (await client.send(new GetObjectCommand(asked))).Body?.transformToByteArray();
  } catch (cause) {
    if (cause instanceof NoSuchKey) return undefined;
    throw cause;
  }
}

function clientOf(
  { url }: ServerProcess,
  credentials: { readonly accessKeyId: string; readonly secretAccessKey: string },
): S3Client {
  return new S3Client({
    endpoint: url.origin,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials,
    maxAttempts: 1,
  });
}

async function makeCredentials({ url }: ServerProcess) {
  const api = createApi({ url, key, project: 'shop', otherKey: '', close: async () => {} });
  try {
    const made = (await api.send('POST', '/v1/shop/keys', { json: { s3: true } })).json<{
      readonly access_key_id: string;
      readonly secret_access_key: string;
    }>();
    return { accessKeyId: made.access_key_id, secretAccessKey: made.secret_access_key };
  } finally {
    api.close();
  }
}
