import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from '../services/free-port.js';

const packaging = fileURLToPath(new URL('../../../../packaging/', import.meta.url));
const startTimeoutMs = 20_000;

/** Where a proxy runs: a folder of its own, the port of the server behind it, and the certificate that it serves. */
export interface ProxyPlace {
  readonly folder: string;
  readonly serverPort: number;
  readonly certificate: Certificate;
}

/** Files with a certificate for `localhost` and its private key. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

export interface RunningProxy {
  readonly url: URL;
  /** What it found wrong with answers of the server, as it logged it. */
  complaints(): Promise<readonly string[]>;
  stop(): Promise<void>;
}

/** Starts a proxy with the configuration that this project publishes for it. */
export type StartProxy = (place: ProxyPlace) => Promise<RunningProxy>;

/** Makes a self-signed certificate. */
export async function makeCertificate(folder: string): Promise<Certificate> {
  const cert = join(folder, 'localhost.crt');
  const key = join(folder, 'localhost.key');
  const words = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost';
  const names = ['-addext', 'subjectAltName=DNS:localhost', '-keyout', key, '-out', cert];
  await promisify(execFile)('openssl', [...words.split(' '), ...names]);
  return { cert, key };
}

/** nginx with `packaging/nginx.conf`: only the addresses, the name and the files of the certificate are replaced. */
export const startNginx: StartProxy = async ({ folder, serverPort, certificate }) => {
  const port = await freePort();
  const home = join(folder, 'nginx');
  await mkdir(home);
  const published = await readFile(join(packaging, 'nginx.conf'), 'utf8');
  const site = replaced(published, [
    ['127.0.0.1:8080', `127.0.0.1:${serverPort}`],
    ['listen 443 ssl', `listen 127.0.0.1:${port} ssl`],
    ['server_name data.example.com', 'server_name localhost'],
    ['/etc/ssl/data.example.com.crt', certificate.cert],
    ['/etc/ssl/private/data.example.com.key', certificate.key],
  ]);
  await writeFile(join(home, 'site.conf'), site);
  const bodies = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(home, name)};`,
  );
  await writeFile(
    join(home, 'nginx.conf'),
    `pid ${join(home, 'pid')};
error_log ${join(home, 'error.log')};
daemon off;
master_process off;
events { worker_connections 4096; }
http { access_log off; ${bodies.join(' ')} include ${join(home, 'site.conf')}; }
`,
  );
  const log = join(home, 'error.log');
  const options = ['-c', join(home, 'nginx.conf'), '-e', log];
  return {
    ...(await running(spawn('nginx', options, { stdio: 'ignore' }), port)),
    complaints: async () =>
      (await readFile(log, 'utf8')).split('\n').filter((line) => line.includes('upstream sent')),
  };
};

/**
 * Caddy with `packaging/Caddyfile`: the addresses, the name and the certificate are replaced, and the buffer for requests
 * is switched on. The tests speak HTTP/1, and without it Caddy cuts about one answer in 50,000. Debian's version knows
 * only a buffer for whole requests.
 */
export const startCaddy: StartProxy = async ({ folder, serverPort, certificate }) => {
  const port = await freePort();
  const home = join(folder, 'caddy');
  await mkdir(home);
  const published = await readFile(join(packaging, 'Caddyfile'), 'utf8');
  const site = replaced(published, [
    ['127.0.0.1:8080', `127.0.0.1:${serverPort}`],
    ['# request_buffers 64KiB', 'buffer_requests'],
    ['\ndata.example.com {', `\nhttps://localhost:${port} {\n\ttls ${certificate.cert} ${certificate.key}`],
  ]);
  // It sees only at the next sign of life that the reader of a stream has gone, and would wait for that when it stops.
  const global = `{\n\tadmin off\n\tgrace_period 1s\n\tauto_https disable_redirects\n\tdefault_bind 127.0.0.1\n}\n`;
  await writeFile(join(home, 'Caddyfile'), global + site);
  const options = ['run', '--config', join(home, 'Caddyfile'), '--adapter', 'caddyfile'];
  const env = { ...process.env, HOME: home, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home };
  const caddy = await running(spawn('caddy', options, { stdio: 'ignore', env }), port);
  return { ...caddy, complaints: async () => [] };
};

/** Replaces each text, which must be there: otherwise the test would not run what is published. */
function replaced(text: string, pairs: readonly (readonly [string, string])[]): string {
  return pairs.reduce((before, [from, to]) => {
    if (!before.includes(from)) throw new Error(`The configuration lacks ${JSON.stringify(from)}`);
    return before.replace(from, to);
  }, text);
}

async function running(child: ChildProcess, port: number): Promise<Pick<RunningProxy, 'url' | 'stop'>> {
  const ended = once(child, 'exit');
  const url = new URL(`https://localhost:${port}/`);
  const giveUpMs = performance.now() + startTimeoutMs;
  while (!(await answers(url))) {
    if (child.exitCode !== null || performance.now() > giveUpMs) {
      child.kill('SIGKILL');
      throw new Error(`${child.spawnfile} did not start`);
    }
    await wait(50);
  }
  return {
    url,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** Whether the server answers through the proxy. curl, because the certificate is not among this process's own. */
async function answers(url: URL): Promise<boolean> {
  return await promisify(execFile)('curl', ['--silent', '--fail', '--insecure', `${url}health`]).then(
    () => true,
    () => false,
  );
}
