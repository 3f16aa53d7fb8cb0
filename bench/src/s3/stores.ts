import { execFile, execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { program as basedriveProgram, startBasedrive } from '../contenders/basedrive.js';
import { apiKey } from '../contenders/basedrive-operations.js';
import { must } from '../load/send.js';
import { freePort, freePorts } from '../processes/free-port.js';
import { missingCommand, missingPackage, peersFolder, repository } from '../processes/installed.js';
import { cpuSeconds, memoryOf, memoryTogether } from '../processes/process-tree.js';
import { type Running, startServer } from '../processes/server-process.js';
import type { S3Address } from './sign.js';

/** A running S3 store. */
export interface RunningStore extends Pick<Running, 'memory' | 'cpuSeconds' | 'pause' | 'resume' | 'stop'> {
  readonly name: string;
  readonly address: S3Address;
}

interface Store {
  readonly name: string;
  missing(): string | undefined;
  /** Starts it on an empty folder. */
  start(folder: string): Promise<Omit<RunningStore, 'name'>>;
}

const basedrive: Store = {
  name: 'basedrive',
  missing: () => (existsSync(basedriveProgram) ? undefined : 'not compiled'),
  async start(folder) {
    const running = await startBasedrive(folder);
    const body = JSON.stringify({ s3: true });
    const headers = { 'X-API-Key': apiKey, 'Content-Type': 'application/json' };
    const made = await must(running.url, { method: 'POST', path: '/v1/bench/keys', headers, body }, 201);
    const { access_key_id, secret_access_key } = JSON.parse(made.toString()) as Record<string, string>;
    return {
      ...running,
      address: {
        url: running.url,
        accessKeyId: access_key_id ?? '',
        secretAccessKey: secret_access_key ?? '',
      },
    };
  },
};

const s3rver: Store = {
  name: 's3rver',
  missing: () => missingPackage('s3rver'),
  async start(folder) {
    const port = await freePort();
    const script = join(peersFolder, 'node_modules', 's3rver', 'bin', 's3rver.js');
    const args = [
      script,
      '--address',
      '127.0.0.1',
      '--port',
      String(port),
      '--silent',
      '--directory',
      folder,
    ];
    const server = { name: 's3rver', command: process.execPath, args, folder, port };
    const running = await startServer(server);
    return {
      ...running,
      address: { url: running.url, accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
    };
  },
};

const scripts = join(repository, 'acceptance', 'rgw');
const daemons = ['client.rgw', 'osd.0', 'mon.a'];
const run = promisify(execFile);

/** Ceph's gateway with one OSD and a monitor, which count together (acceptance/rgw/README.md). */
const radosgw: Store = {
  name: 'radosgw',
  missing: () =>
    process.getuid?.() === 0 ? missingCommand('radosgw', 'ceph-mon', 'ceph-osd') : 'needs to be root',
  async start(folder) {
    // The gateway takes one and the monitor two.
    const port = await freePorts(3);
    const [accessKeyId, secretAccessKey] = [randomBytes(10).toString('hex'), randomBytes(20).toString('hex')];
    const env = {
      ...process.env,
      RGW_PORT: String(port),
      MON_PORT: String(port + 1),
      NO_MGR: '1',
      S3_ACCESS_KEY: accessKeyId,
      S3_SECRET_KEY: secretAccessKey,
    };
    // Its daemons have no parent, so they would outlive an interrupted run. Their folder is removed after this.
    const starting = run(join(scripts, 'start'), [folder], { env });
    const stopNow = () => {
      starting.child.kill();
      execFileSync(join(scripts, 'stop'), [folder]);
    };
    process.prependOnceListener('exit', stopNow);
    const stop = async () => {
      await run(join(scripts, 'stop'), [folder]);
      process.off('exit', stopNow);
    };
    await starting.catch(async (cause) => {
      await stop();
      throw cause;
    });
    const pids = daemons.map((name) => Number(readFileSync(join(folder, 'run', `${name}.pid`), 'utf8')));
    return {
      address: { url: `http://127.0.0.1:${port}`, accessKeyId, secretAccessKey },
      memory: () => memoryTogether(pids.map(memoryOf)),
      cpuSeconds: () => pids.reduce((sum, pid) => sum + (cpuSeconds(pid) ?? 0), 0),
      // Its daemons miss each other when they are suspended; while they have nothing to do they take nothing.
      pause() {},
      resume() {},
      stop,
    };
  },
};

const stores: readonly Store[] = [basedrive, radosgw, s3rver];

/** Starts those that are installed and wanted, and names the others. */
export async function startStores(
  wanted: readonly string[],
  folderOf: (name: string) => string,
): Promise<RunningStore[]> {
  const started: RunningStore[] = [];
  for (const { name, missing, start } of stores) {
    if (wanted.length > 0 && name !== 'basedrive' && !wanted.includes(name)) continue;
    const reason = missing();
    if (reason !== undefined) console.error(`skipped: ${name} (${reason})`);
    else started.push({ name, ...(await start(folderOf(`s3 ${name}`))) });
  }
  return started;
}
