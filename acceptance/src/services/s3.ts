import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePorts } from './free-port.js';
import { createBucket } from './s3-bucket.js';

const run = promisify(execFile);
const scripts = join(import.meta.dirname, '..', '..', '..', 'rgw');
const region = 'us-east-1';

/** A real S3 store on loopback. */
export interface TestS3 {
  readonly endpoint: string;
  readonly port: number;
  /** The variables with which a server reaches it, by default at its own endpoint; a proxy has another one. */
  environment(endpoint?: string): Readonly<Record<string, string>>;
  /** Creates an empty bucket and returns its name. */
  createBucket(): Promise<string>;
  /** Sends SIGKILL to the gateway: requests in flight are cut off. */
  kill(): Promise<void>;
  /** Starts the gateway again. Resolves when it answers. */
  restart(): Promise<void>;
  /** Ends it and removes its folder; a store that was given is left running. */
  stop(): Promise<void>;
}

/** Whether there is a store: BASEDRIVE_TEST_S3_ENDPOINT is set, or Ceph is installed and the user is root. */
export function canStartS3(): boolean {
  return Boolean(process.env.BASEDRIVE_TEST_S3_ENDPOINT) || hasCeph();
}

function hasCeph(): boolean {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const has = (program: string) => folders.some((folder) => existsSync(join(folder, program)));
  return process.getuid?.() === 0 && ['radosgw', 'ceph-mon', 'ceph-osd'].every(has);
}

/**
 * Takes the store at BASEDRIVE_TEST_S3_ENDPOINT (with BASEDRIVE_TEST_S3_ACCESS_KEY and BASEDRIVE_TEST_S3_SECRET_KEY) if
 * that is set; otherwise starts one.
 */
export async function startS3(): Promise<TestS3> {
  const endpoint = process.env.BASEDRIVE_TEST_S3_ENDPOINT;
  if (endpoint) {
    const { BASEDRIVE_TEST_S3_ACCESS_KEY: access = '', BASEDRIVE_TEST_S3_SECRET_KEY: secret = '' } =
      process.env;
    const refuse = () => Promise.reject(new Error('A store that was given is not killed'));
    return { ...connectionTo(endpoint, access, secret), kill: refuse, restart: refuse, stop: async () => {} };
  }
  return startOwnS3();
}

/** Starts a store that only the caller uses, and that may be killed. */
export async function startOwnS3(): Promise<TestS3> {
  if (!hasCeph())
    throw new Error('Ceph is not installed, or the user is not root: see acceptance/rgw/README.md');
  const folder = await mkdtemp(join(tmpdir(), 'basedrive-s3-'));
  // The gateway takes one port and the monitor two.
  const gatewayPort = await freePorts(3);
  const [access, secret] = [randomBytes(10).toString('hex'), randomBytes(20).toString('hex')];
  const env = {
    ...process.env,
    RGW_PORT: String(gatewayPort),
    MON_PORT: String(gatewayPort + 1),
    NO_MGR: '1',
    S3_ACCESS_KEY: access,
    S3_SECRET_KEY: secret,
  };
  const start = async () => {
    await run(join(scripts, 'start'), [folder], { env });
  };
  const stop = async () => {
    await run(join(scripts, 'stop'), [folder]);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await start();
  } catch (cause) {
    await stop();
    throw cause;
  }
  return {
    ...connectionTo(`http://127.0.0.1:${gatewayPort}`, access, secret),
    async kill() {
      const pid = Number(await readFile(join(folder, 'run', 'client.rgw.pid'), 'utf8'));
      process.kill(pid, 'SIGKILL');
      while (existsSync(`/proc/${pid}`)) await wait(5);
    },
    restart: start,
    stop,
  };
}

function connectionTo(endpoint: string, access: string, secret: string) {
  return {
    endpoint,
    port: Number(new URL(endpoint).port),
    environment: (other = endpoint) => ({
      BASEDRIVE_S3_ENDPOINT: other,
      BASEDRIVE_S3_PATH_STYLE: 'true',
      AWS_REGION: region,
      AWS_ACCESS_KEY_ID: access,
      AWS_SECRET_ACCESS_KEY: secret,
    }),
    async createBucket() {
      const name = `test-${randomBytes(6).toString('hex')}`;
      await createBucket({ endpoint, region, access, secret }, name);
      return name;
    },
  };
}
