import { startBasedrive } from '../contenders/basedrive.js';
import {
  basedriveItems,
  basedriveListAll,
  basedriveUpload,
  makeBasedriveIndex,
  makeBasedriveKey,
} from '../contenders/basedrive-operations.js';
import type { Operation } from '../load/operation.js';
import { freePort } from '../processes/free-port.js';
import type { Running } from '../processes/server-process.js';
import type { Bench } from '../workloads/bench.js';
import { fill } from '../workloads/fill.js';

/** A request to a server that was prepared for it. */
export interface Side {
  readonly running: Running;
  readonly operation: Operation;
  /** How many keys or names the requests use; default: those of the items. */
  readonly below?: number | undefined;
}

/** The same request without and with something that may cost it time. */
export interface Pair {
  readonly without: Side;
  readonly with: Side;
}

export interface Cost {
  readonly name: string;
  /** How many times as much the request may cost at most. */
  readonly bound: number;
  /** Starts and fills the servers of the pair, which are paused. */
  open(bench: Bench): Promise<Pair>;
}

const smallFile = Buffer.alloc(100, 'x');
const listedFiles = 1000;
const unused = 'another';
const yearSeconds = 365 * 24 * 60 * 60;
/** Every kind of limit. None refuses a get of the benchmark: its keys begin with zeros, and it has no origin. */
const everyLimit = {
  access: 'read',
  bases: [unused, 'items'],
  drives: [unused],
  prefix: '0',
  expires_in: yearSeconds,
  origins: ['https://shop.example'],
  requests_per_second: 1_000_000,
};

async function started(bench: Bench, name: string, flags: readonly string[] = []): Promise<Running> {
  return await startBasedrive(bench.folder(name), flags);
}

function withKey(operation: Operation, key: string): Operation {
  const { request } = operation;
  return { ...operation, request: { ...request, headers: { ...request.headers, 'X-API-Key': key } } };
}

/** With its log line, as users run the service, 0.9 times as many requests are promised. */
function logged(name: 'get' | 'put'): Cost {
  return {
    name: `a ${name} with its line in the log`,
    bound: 1.11,
    async open(bench) {
      const silent = await started(bench, `${name} silent`, ['--log-level', 'warn']);
      const logging = await started(bench, `${name} logging`, ['--log-level', 'info']);
      const { put25, [name]: operation } = basedriveItems();
      for (const { url } of [silent, logging]) await fill(url, put25, bench.options.items);
      return { without: { running: silent, operation }, with: { running: logging, operation } };
    },
  };
}

/** What the project promises of its features: each costs a request that uses it no more than this. */
export const costs: readonly Cost[] = [
  logged('get'),
  logged('put'),
  {
    name: 'a get with a key of every limit',
    bound: 1.05,
    async open(bench) {
      const running = await started(bench, 'limited key');
      const { get, put25 } = basedriveItems();
      await fill(running.url, put25, bench.options.items);
      const [free, limited] = [
        await makeBasedriveKey(running.url, {}),
        await makeBasedriveKey(running.url, everyLimit),
      ];
      return {
        without: { running, operation: withKey(get, free) },
        with: { running, operation: withKey(get, limited) },
      };
    },
  },
  {
    name: 'a get while metrics are taken',
    bound: 1.02,
    async open(bench) {
      const plain = await started(bench, 'no metrics');
      const metered = await started(bench, 'metrics', ['--metrics', `127.0.0.1:${await freePort()}`]);
      const { get, put25 } = basedriveItems();
      for (const { url } of [plain, metered]) await fill(url, put25, bench.options.items);
      return { without: { running: plain, operation: get }, with: { running: metered, operation: get } };
    },
  },
  {
    name: 'a list of 1,000 files with details',
    bound: 1.5,
    async open(bench) {
      const running = await started(bench, 'details');
      await fill(running.url, basedriveUpload(smallFile), listedFiles);
      return {
        without: { running, operation: basedriveListAll(smallFile.length, listedFiles) },
        with: { running, operation: basedriveListAll(smallFile.length, listedFiles, '?details=true') },
      };
    },
  },
  {
    name: 'a put into a base with an index, which it changes',
    bound: 1.43,
    async open(bench) {
      const running = await started(bench, 'index');
      const [plain, indexed] = [basedriveItems('items'), basedriveItems('indexed')];
      for (const { put25 } of [plain, indexed]) await fill(running.url, put25, bench.options.items);
      await makeBasedriveIndex(running.url, 'indexed');
      return { without: { running, operation: plain.put }, with: { running, operation: indexed.put } };
    },
  },
];
