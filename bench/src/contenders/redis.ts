import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { commandPath } from '../processes/installed.js';
import { type Running, startServer } from '../processes/server-process.js';

const syncedAtEveryWrite = ['--appendonly', 'yes', '--appendfsync', 'always', '--save', ''];

/** Starts a Redis that is as durable as the service: its append-only file is synced before a write is answered. */
export async function startRedis(folder: string, port: number): Promise<Running> {
  mkdirSync(join(folder, 'redis'), { recursive: true });
  const listening = ['--port', String(port), '--bind', '127.0.0.1'];
  return await startServer({
    name: 'redis',
    command: commandPath('redis-server')!,
    args: [...listening, ...syncedAtEveryWrite, '--dir', join(folder, 'redis')],
    folder,
    port,
    http: false,
  });
}
