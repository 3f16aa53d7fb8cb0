import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { announcedUrl } from './announced-url.js';

export interface Loaded {
  /** The paths of all files that were required. */
  readonly files: readonly string[];
  /** By the name of a script: whether V8 took the code that was kept of it. */
  readonly took: Readonly<Record<string, boolean>>;
}

/** Starts a server with these words, and ends it when it has answered. `folder` gets its data, and what notes. */
export async function loadedByStart(
  [program = '', ...words]: readonly string[],
  folder: string,
  environment: NodeJS.ProcessEnv,
): Promise<Loaded> {
  const hook = join(folder, 'note-loaded.cjs');
  const noted = join(folder, 'loaded');
  await writeFile(
    hook,
    `const vm = require('node:vm');
    const took = {};
    vm.Script = class extends vm.Script {
      constructor(text, options) {
        super(text, options);
        took[options.filename] = this.cachedDataRejected === false;
      }
    };
    process.on('exit', () => {
      const files = Object.keys(require.cache).filter((path) => path !== __filename);
      require('node:fs').writeFileSync(${JSON.stringify(noted)}, JSON.stringify({ files, took }));
    });`,
  );
  const options = `${environment.NODE_OPTIONS ?? ''} --require=${hook}`;
  const child = spawn(
    program,
    [...words, '--port', '0', '--key', 'demo_loadedsecret', '--data', join(folder, 'of-start')],
    {
      cwd: folder,
      env: { ...environment, NODE_OPTIONS: options },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  const ended = once(child, 'exit');
  try {
    const url = await announcedUrl(child.stderr);
    assert.equal((await fetch(`${url}/ready`)).status, 200);
    child.kill('SIGTERM');
    await ended;
  } finally {
    child.kill('SIGKILL');
  }
  return JSON.parse(await readFile(noted, 'utf8')) as Loaded;
}
