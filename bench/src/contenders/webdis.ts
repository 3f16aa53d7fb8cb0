import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RequestTemplate } from '../load/request-template.js';
import { freePort } from '../processes/free-port.js';
import { commandPath, missingCommand } from '../processes/installed.js';
import { startServer, together } from '../processes/server-process.js';
import type { Contender } from './contender.js';
import { item, items25 } from './item.js';
import { startRedis } from './redis.js';

/** Redis behind an HTTP gateway in C. */
export const webdis: Contender = {
  name: 'webdis + redis',
  about: 'Redis over HTTP; append-only file synced at every write (appendfsync always); all data in memory',
  // 0.1.9 may send an answer to a new client that has the file descriptor of the old one. Under load no client leaves.
  retries: 20,
  missing: () => missingCommand('webdis', 'redis-server'),
  async start(folder) {
    const [redisPort, port] = [await freePort(), await freePort()];
    const redis = await startRedis(folder, redisPort);
    const config = join(folder, 'webdis.json');
    writeFileSync(config, JSON.stringify(webdisConfig(redisPort, port, folder)));
    const gateway = await startServer({
      name: 'webdis',
      command: commandPath('webdis')!,
      args: [config],
      folder,
      port,
    });
    return together([redis, gateway]);
  },
  items: {
    get: {
      request: { method: 'GET', path: '/GET/{key}.json' },
      status: 200,
      includes: ['Ada Lovelace', '{key}'],
    },
    put: {
      request: { method: 'PUT', path: '/SET/{key}', body: item() },
      status: 200,
      includes: ['{"SET":[true,"OK"]}'],
    },
    put25: {
      request: command(['MSET', ...items25().flatMap((text, slot) => [`{key:${slot}}`, text])]),
      status: 200,
      includes: ['{"MSET":[true,"OK"]}'],
    },
    insert: {
      request: { method: 'PUT', path: '/SETNX/{key}', body: item() },
      status: 200,
      includes: ['{"SETNX":1}'],
    },
    increment: { request: command(['INCR', 'hot']), status: 200, includes: ['{"INCR":'] },
  },
};

/** A command in a body: its words separated by slashes. Placeholders are not encoded. */
function command(words: readonly string[]): RequestTemplate {
  const body = words.map((word) =>
    encodeURIComponent(word)
      // Webdis would take the text after a full stop as the format of the answer.
      .replaceAll('.', '%2E')
      .replaceAll(/%7B(?:nonce|key(?:%3A\d+)?)%7D/g, decodeURIComponent),
  );
  return { method: 'POST', path: '/', body: body.join('/') };
}

function webdisConfig(redisPort: number, port: number, folder: string) {
  return {
    redis_host: '127.0.0.1',
    redis_port: redisPort,
    http_host: '127.0.0.1',
    http_port: port,
    threads: 2,
    pool_size: 20,
    daemonize: false,
    websockets: false,
    database: 0,
    http_max_request_size: 1_048_576,
    verbosity: 0,
    logfile: join(folder, 'webdis-own.log'),
  };
}
