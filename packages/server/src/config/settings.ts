import { blobsAddressProblem, itemsAddressProblem } from '../engines/registry.js';
import { networkProblem } from '../hooks/reachable.js';
import { operatorKeyProblem } from '../keys/key-format.js';
import { memoryBytes } from '../lib/memory.js';
import type { ProjectQuota } from '../quotas/ledger.js';
import {
  checked,
  checkedList,
  corsOrigins,
  domainName,
  duration,
  flag,
  hostNames,
  type ListenAddress,
  listenAddress,
  numberOrAuto,
  oneOf,
  type Parse,
  path,
  publicUrl,
  quota,
  text,
  wholeNumber,
} from './values.js';

/** How log lines are written; `auto` depends on whether standard output is a terminal. */
export type LogFormat = 'auto' | 'pretty' | 'json';

/** One setting: what the command line, the environment, the help and the code need to know of it. */
export interface SettingRule<T> {
  /** In commander's notation: `--port <number>`. */
  readonly flag: string;
  readonly repeatable?: boolean;
  readonly variable: string;
  readonly default: T;
  /** How the help shows the default, if the value itself would not be clear. */
  readonly defaultText?: string;
  readonly help: string;
  /** Of a command that asks a server, if it means another thing there. */
  readonly clientHelp?: string;
  readonly parse: Parse<T>;
  /** Its value never appears in a message. */
  readonly secret?: boolean;
}

const hourMs = 3_600_000;
const mib = 1024 * 1024;
/** With less, there would never be room for the largest body. */
const leastBufferedBytes = 64 * mib;

/** The default of `maxBufferedBytes` with this much memory, by default that of the machine or of the container. */
export function defaultBufferedBytes(memory = memoryBytes()): number {
  return Math.min(384 * mib, Math.max(leastBufferedBytes, Math.floor(memory / 4)));
}

/**
 * The default of `maxConnections` with this much memory. Clients without a key may take 60 to 110 KB for each: with a
 * handshake, or the head of a request, that does not go on.
 */
function defaultConnections(memory = memoryBytes()): number {
  return Math.min(10_000, Math.floor(memory / mib) * 6);
}

/** `--max-link-time` has the variable `BASEDRIVE_MAX_LINK_TIME`. */
function rule<T>(setting: Omit<SettingRule<T>, 'variable'>): SettingRule<T> {
  const [name = ''] = setting.flag.slice('--'.length).split(' ');
  return { ...setting, variable: `BASEDRIVE_${name.toUpperCase().replaceAll('-', '_')}` };
}

/** Every setting, in the order of the help. Other variables are in `variables.ts`. */
export const settingRules = {
  host: rule<string>({
    flag: '--host <address>',
    default: '127.0.0.1',
    help: 'address to listen on; 0.0.0.0 or :: for all networks',
    parse: text,
  }),
  port: rule<number>({
    flag: '--port <number>',
    default: 8080,
    help: 'port to listen on; 0 for any free port',
    parse: wholeNumber(0, 65_535),
  }),
  dataFolder: rule<string>({
    flag: '--data <folder>',
    default: './data',
    help: 'folder that holds everything, except what --items and --blobs store elsewhere',
    parse: path,
  }),
  items: rule<string | undefined>({
    flag: '--items <url>',
    default: undefined,
    defaultText: 'LevelDB in the data folder',
    help: 'store rows in this database, postgres://user:password@host/database, which many servers may share',
    parse: checked(itemsAddressProblem),
    // It may hold a password.
    secret: true,
  }),
  blobs: rule<string | undefined>({
    flag: '--blobs <url>',
    default: undefined,
    defaultText: 'in the data folder',
    help: 'store the bytes of files in this store, s3://bucket/prefix, or in this folder',
    parse: checked(blobsAddressProblem),
    secret: true,
  }),
  memory: rule<boolean>({
    flag: '--memory',
    default: false,
    help: 'store everything in memory: nothing outlives the process',
    parse: flag,
  }),
  acceptDamagedRows: rule<boolean>({
    flag: '--accept-damaged-rows',
    default: false,
    help: 'open damaged rows in the data folder without what cannot be read of them, which is lost (copy the folder first)',
    parse: flag,
  }),
  keys: rule<readonly string[]>({
    flag: '--key <key>',
    repeatable: true,
    default: [],
    help:
      'accept a key of your own, {project}_{secret} (repeat it, or separate by commas);' +
      ' visible in the list of processes, so prefer --key-file',
    clientHelp:
      'the key of the project, {project}_{secret}; visible in the list of processes, so prefer --key-file',
    parse: checkedList(operatorKeyProblem),
    secret: true,
  }),
  keyFile: rule<string | undefined>({
    flag: '--key-file <file>',
    default: undefined,
    help: 'accept the keys in this file, one a line; lines that begin with # are comments',
    clientHelp:
      'take the key of the project from this file: one a line; lines that begin with # are comments',
    parse: path,
  }),
  adminKeyFile: rule<string | undefined>({
    flag: '--admin-key-file <file>',
    default: undefined,
    defaultText: 'none',
    help: 'serve /admin/projects to whoever has the key in this file, which not every user may open',
    parse: path,
  }),
  quota: rule<ProjectQuota>({
    flag: '--quota <limits>',
    default: {},
    defaultText: 'none',
    help: 'what each project may have that has no quota of its own: items=1000,item_bytes=…,files=…,file_bytes=…,requests_per_second=…',
    parse: quota,
  }),
  https: rule<boolean>({
    flag: '--https',
    default: false,
    help: 'serve HTTPS with a certificate that the server makes and keeps in the data folder',
    parse: flag,
  }),
  hostnames: rule<readonly string[]>({
    flag: '--hostname <name>',
    repeatable: true,
    default: [],
    help: 'another name or address for that certificate (repeat it, or separate by commas)',
    parse: hostNames,
  }),
  tlsCert: rule<string | undefined>({
    flag: '--tls-cert <file>',
    default: undefined,
    help: 'serve HTTPS with this certificate (PEM, with its chain); it is read again when it changes',
    parse: path,
  }),
  tlsKey: rule<string | undefined>({
    flag: '--tls-key <file>',
    default: undefined,
    help: 'private key of that certificate (PEM)',
    parse: path,
  }),
  publicUrl: rule<string | undefined>({
    flag: '--public-url <url>',
    default: undefined,
    defaultText: 'the host of each request',
    help: 'address at which clients reach the service behind a proxy, https://host/path: links begin with it',
    parse: publicUrl,
  }),
  logFormat: rule<LogFormat>({
    flag: '--log-format <format>',
    default: 'auto',
    help: 'pretty (short lines for people), json, or auto: pretty on a terminal',
    parse: oneOf('auto', 'pretty', 'json'),
  }),
  logLevel: rule<string>({
    flag: '--log-level <level>',
    default: 'info',
    help: 'fatal, error, warn, info, debug, trace or silent; info has one line per request, debug stack traces and paths',
    parse: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
  }),
  console: rule<'on' | 'off'>({
    flag: '--console <on|off>',
    default: 'on',
    help: 'serve the console, the web page at /',
    parse: oneOf('on', 'off'),
  }),
  metrics: rule<ListenAddress | undefined>({
    flag: '--metrics <address>',
    default: undefined,
    help: 'serve metrics for Prometheus at /metrics on this address, such as 127.0.0.1:9464; without a key',
    parse: listenAddress,
  }),
  traces: rule<'on' | 'off'>({
    flag: '--traces <on|off>',
    default: 'off',
    help: 'send a trace of each request to a collector of OpenTelemetry, as the variables OTEL_… say',
    parse: oneOf('on', 'off'),
  }),
  corsOrigins: rule<'*' | readonly string[]>({
    flag: '--cors-origins <origins>',
    default: '*',
    help: 'web origins that browsers may call from, separated by commas',
    parse: corsOrigins,
  }),
  s3: rule<boolean>({
    flag: '--s3 <on|off>',
    default: true,
    defaultText: 'on',
    help: 'whether S3 clients are served: docs/s3.md',
    parse: flag,
  }),
  s3Domain: rule<string | undefined>({
    flag: '--s3-domain <domain>',
    default: undefined,
    help: 'the domain whose subdomains are buckets for S3 clients, such as s3.example.com',
    parse: domainName,
  }),
  maxItemsPerPut: rule<number>({
    flag: '--max-items-per-put <number>',
    default: 25,
    help: 'most items in one put',
    parse: wholeNumber(1, 100_000),
  }),
  uploadTtlMs: rule<number>({
    flag: '--upload-ttl <duration>',
    default: 24 * hourMs,
    defaultText: '24h',
    help: 'drop an open upload after this time without a call',
    parse: duration({ minMs: 1000 }),
  }),
  garbageGraceMs: rule<number>({
    flag: '--garbage-grace <duration>',
    default: hourMs,
    defaultText: '1h',
    help: 'if servers share rows: keep the bytes of overwritten and deleted files for this time, for downloads and backups in progress',
    parse: duration({ minMs: 0 }),
  }),
  trashMs: rule<number>({
    flag: '--trash <duration>',
    default: 0,
    defaultText: 'none',
    help: 'deleted and overwritten files can come back for this time, unless the drive has a setting of its own: 30d',
    parse: duration({ minMs: 0, maxMs: 3650 * 24 * hourMs }),
  }),
  maxLinkMs: rule<number>({
    flag: '--max-link-time <duration>',
    default: 7 * 24 * hourMs,
    defaultText: '7d',
    help: 'for how long a link to a file may be valid at most, up to 366d',
    parse: duration({ minMs: 1000, maxMs: 366 * 24 * hourMs }),
  }),
  maxHeaderBytes: rule<number>({
    flag: '--max-header-bytes <number>',
    default: 32_768,
    help: 'largest head of a request, URL included',
    parse: wholeNumber(8192, 1_048_576),
  }),
  headerTimeoutMs: rule<number>({
    flag: '--header-timeout <duration>',
    default: 20_000,
    defaultText: '20s',
    help: 'time for the head of a request to arrive, and for a TLS handshake',
    parse: duration({ minMs: 100 }),
  }),
  requestTimeoutMs: rule<number>({
    flag: '--request-timeout <duration>',
    default: 300_000,
    defaultText: '5m',
    help: 'time for a whole request, head and body, to arrive',
    parse: duration({ minMs: 100 }),
  }),
  idleTimeoutMs: rule<number>({
    flag: '--idle-timeout <duration>',
    default: 65_000,
    defaultText: '65s',
    help: 'close a connection after this time without a request',
    parse: duration({ minMs: 100 }),
  }),
  keepChangesMs: rule<number>({
    flag: '--keep-changes <duration>',
    default: 24 * hourMs,
    defaultText: '24h',
    help: 'how long changes are kept for those who follow them; 0s keeps none, and nobody can follow',
    parse: duration({ minMs: 0 }),
  }),
  hookNetworks: rule<readonly string[]>({
    flag: '--hook-networks <networks>',
    repeatable: true,
    default: [],
    defaultText: 'none',
    help: 'networks that webhooks may reach besides the public internet, such as 10.1.0.0/16 (repeat it, or separate by commas)',
    parse: checkedList(networkProblem),
  }),
  workers: rule<number | 'auto'>({
    flag: '--workers <number>',
    default: 0,
    help: 'processes that take connections and TLS off the one that does the rest; auto: 2 from four cores on, else none',
    parse: numberOrAuto(0, 8),
  }),
  maxConnections: rule<number>({
    flag: '--max-connections <number>',
    default: defaultConnections(),
    defaultText: 'six for each MiB of memory, at most 10000',
    help: 'most open connections; more are closed at once',
    parse: wholeNumber(1, 1_000_000),
  }),
  maxRequestsInFlight: rule<number>({
    flag: '--max-requests <number>',
    default: 4096,
    help: 'most requests in progress; more are answered 429',
    parse: wholeNumber(1, 1_000_000),
  }),
  maxBufferedBytes: rule<number>({
    flag: '--max-buffered-bytes <number>',
    default: defaultBufferedBytes(),
    defaultText: 'a quarter of the memory, 64 to 384 MiB',
    help: 'most bytes in memory for clients (incoming bodies, waiting answers); more wait or are answered 429',
    parse: wholeNumber(leastBufferedBytes, 1024 * 1024 * mib),
  }),
  shutdownGraceMs: rule<number>({
    flag: '--shutdown-grace <duration>',
    default: 10_000,
    defaultText: '10s',
    help: 'time for requests in progress to end after SIGTERM or SIGINT',
    parse: duration({ minMs: 0 }),
  }),
};

type Rules = typeof settingRules;
export type SettingName = keyof Rules;
export type Settings = {
  readonly [Name in SettingName]: Rules[Name] extends SettingRule<infer T> ? T : never;
};

/** The flags on the command line, by the setting's name. */
export type GivenFlags = Readonly<Partial<Record<SettingName, string | boolean | readonly string[]>>>;
export type Environment = Readonly<Record<string, string | undefined>>;
