import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type Load, type LoadResult, timeoutSeconds } from './load.js';
import { wrkScript } from './wrk-script.js';

export function wrkIsInstalled(): boolean {
  return spawnSync('wrk', ['--version']).error === undefined;
}

/** Uses one thread, which keeps one core busy: on a small machine the server needs the other. */
export function loadWithWrk(load: Load): Promise<LoadResult> {
  return runWrkScript(load, wrkScript(load));
}

type Run = Pick<Load, 'url' | 'connections' | 'seconds'>;

/** Runs a Lua program that prints a result as `printResult` does. */
export async function runWrkScript(run: Run, program: string): Promise<LoadResult> {
  const folder = await mkdtemp(join(tmpdir(), 'basedrive-wrk-'));
  try {
    const script = join(folder, 'load.lua');
    await writeFile(script, program);
    return parseResult(await runWrk(run, script));
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function runWrk(load: Run, script: string): Promise<string> {
  const wrk = spawn(
    'wrk',
    [
      '--threads=1',
      `--connections=${load.connections}`,
      `--duration=${Math.max(1, Math.round(load.seconds))}s`,
      `--timeout=${timeoutSeconds}s`,
      `--script=${script}`,
      load.url,
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const [out, err, code] = await Promise.all([
    text(wrk.stdout),
    text(wrk.stderr),
    new Promise<number | null>((resolve, reject) => wrk.on('error', reject).on('close', resolve)),
  ]);
  if (code !== 0) throw new Error(`wrk exited with ${code}: ${err}${out}`);
  return out + err;
}

function parseResult(out: string): LoadResult {
  const line = /^RESULT (.*)$/m.exec(out);
  if (line === null) throw new Error(`wrk printed no result: ${out}`);
  const seen = JSON.parse(line[1]!) as Record<
    'us' | 'requests' | 'bytes' | 'errors' | 'p50' | 'p99' | 'p999' | 'max',
    number
  >;
  return {
    seconds: seen.us / 1e6,
    requests: seen.requests,
    bytes: seen.bytes,
    errors: seen.errors,
    p50Ms: seen.p50 / 1000,
    p99Ms: seen.p99 / 1000,
    p999Ms: seen.p999 / 1000,
    maxMs: seen.max / 1000,
  };
}
