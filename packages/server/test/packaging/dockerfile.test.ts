import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, copyFile, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { settingRules } from '../../src/config/settings.js';
import { temporaryFolder } from '../support/run-cli.js';
import { announcedUrl } from './announced-url.js';
import { type Instruction, readDockerfile, type Stage } from './dockerfile.js';
import { declaredPackages, root } from './packed-server.js';

const key = 'demo_s3cret';
const runFile = promisify(execFile);
/** How a stage takes over files of another, which no instruction changes in place: as links, because they are 20,000. */
const takeOver = '-al';

/** Where a stage is built, and what its instructions have set. */
interface Built {
  readonly folder: string;
  workdir: string;
  readonly environment: Record<string, string>;
  readonly commands: Record<string, readonly string[]>;
}

/**
 * Does what `docker build` would do, without Docker: each stage is a folder, and `npm install` copies the packages of
 * this workspace, because a test must not need the internet.
 */
async function buildImage(context: TestContext): Promise<Built> {
  const folder = await temporaryFolder(context);
  const tools = join(folder, 'tools');
  await makeNpm(tools);
  const files = await contextFiles();
  const stages = readDockerfile(await readFile(join(root, 'Dockerfile'), 'utf8'));
  const built = new Map<string, Built>();
  let last: Built | undefined;
  for (const [index, stage] of stages.entries()) {
    last = await buildStage(stage, join(folder, `stage-${index}`), { files, built, tools });
    if (stage.name !== undefined) built.set(stage.name, last);
  }
  assert.ok(last !== undefined);
  return last;
}

interface Around {
  readonly files: readonly string[];
  readonly built: ReadonlyMap<string, Built>;
  readonly tools: string;
}

async function buildStage({ from, instructions }: Stage, folder: string, around: Around): Promise<Built> {
  const base = around.built.get(from);
  await mkdir(folder);
  if (base !== undefined) await runFile('cp', [takeOver, `${base.folder}/.`, folder]);
  const stage: Built = { folder, workdir: base?.workdir ?? '/', environment: {}, commands: {} };
  for (const instruction of instructions) await execute(instruction, stage, around);
  return stage;
}

async function execute({ word, rest }: Instruction, stage: Built, around: Around): Promise<void> {
  switch (word) {
    case 'WORKDIR':
      stage.workdir = rest;
      await mkdir(inStage(stage, '.'), { recursive: true });
      return;
    case 'COPY':
      return await copy(rest.split(/\s+/), stage, around);
    case 'RUN': {
      const script = rest.replaceAll(/ -[og] node\b/g, '').replaceAll(/(?<=\s)(?=\/[a-z])/g, stage.folder);
      const PATH = `${around.tools}:${process.env.PATH}`;
      const options = { cwd: inStage(stage, '.'), env: { ...process.env, PATH } };
      await runFile('sh', ['-euc', script], options).catch((cause: { stdout: string; stderr: string }) => {
        throw new Error(`RUN ${rest}: ${cause.stdout}${cause.stderr}`, { cause });
      });
      return;
    }
    case 'ENV':
      for (const [, name = '', value = ''] of rest.matchAll(/(\w+)=(\S+)/g)) stage.environment[name] = value;
      return;
    case 'ENTRYPOINT':
    case 'HEALTHCHECK':
      stage.commands[word] = JSON.parse(rest.slice(rest.indexOf('['))) as string[];
      return;
    default:
      assert.ok(['USER', 'VOLUME', 'EXPOSE'].includes(word), word);
  }
}

async function copy(words: readonly string[], stage: Built, { files, built }: Around): Promise<void> {
  const from = /^--from=(.*)$/.exec(words[0] ?? '')?.[1];
  const paths = words.filter((path) => !path.startsWith('--'));
  const to = paths.at(-1) ?? '';
  for (const path of paths.slice(0, -1)) {
    const isIntoFolder = to.endsWith('/') || to === '.';
    const target = inStage(
      stage,
      isIntoFolder && !(await isFolder(from, path, built)) ? join(to, basename(path)) : to,
    );
    await mkdir(dirname(target), { recursive: true });
    if (from !== undefined) {
      const source = built.get(from);
      assert.ok(source !== undefined, `the stage ${from}`);
      await runFile('cp', [takeOver, join(source.folder, path), target]);
      continue;
    }
    const found = files.filter((file) => file === path || file.startsWith(`${path}/`));
    assert.ok(found.length > 0, `${path} is in the build context`);
    for (const file of found) {
      const copied = join(target, file.slice(path.length));
      await mkdir(dirname(copied), { recursive: true });
      await copyFile(join(root, file), copied);
    }
  }
}

async function isFolder(
  from: string | undefined,
  path: string,
  built: ReadonlyMap<string, Built>,
): Promise<boolean> {
  const folder = from === undefined ? root : (built.get(from)?.folder ?? '');
  return (await stat(join(folder, path))).isDirectory();
}

function inStage({ folder, workdir }: Built, path: string): string {
  return path.startsWith('/') ? join(folder, path) : join(folder, workdir, path);
}

/** The files that a clone has, without those that `.dockerignore` keeps out. */
async function contextFiles(): Promise<readonly string[]> {
  const { stdout } = await runFile('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    maxBuffer: 1 << 24,
  });
  const ignored = (await readFile(join(root, '.dockerignore'), 'utf8'))
    .split('\n')
    .filter((line) => line !== '');
  const isIgnored = (file: string) =>
    ignored.some((pattern) => file.split('/').some((_, index, parts) => matches(parts, index, pattern)));
  return stdout.split('\n').filter((file) => existsSync(join(root, file)) && file !== '' && !isIgnored(file));
}

/** A pattern is a path from the root or, after two asterisks and a slash, a name anywhere. */
function matches(parts: readonly string[], index: number, pattern: string): boolean {
  return pattern.startsWith('**/')
    ? parts[index] === pattern.slice(3)
    : parts.slice(0, index + 1).join('/') === pattern;
}

/**
 * An `npm` that installs what this workspace has: with `--omit=dev` what the server declares, and otherwise everything, as
 * links: only what the image keeps must find no other package. It leaves out the markers of work in progress, which other
 * tests make and remove in the meantime.
 */
async function makeNpm(folder: string): Promise<void> {
  const runtime = declaredPackages().map((path) => path.slice(root.length));
  const lines = runtime.map((path) => `mkdir -p ${dirname(path)} && cp -a ${join(root, path)} ${path}`);
  await mkdir(folder);
  await writeFile(
    join(folder, 'npm'),
    `#!/bin/sh
set -eu
case "$*" in
  *--omit=dev*) ${lines.join('\n    ')} ;;
  *--include=dev*) rm -rf node_modules
    mkdir node_modules
    find ${root}node_modules -mindepth 1 -maxdepth 1 ! -name '.basedrive-*' ! -type l -exec ln -s -t node_modules {} +
    find ${root}node_modules -mindepth 1 -maxdepth 1 -type l -exec cp -a -t node_modules {} +
    for nested in packages/* ; do
      if [ -d ${root}"$nested"/node_modules ] && [ -d "$nested" ]; then cp -a ${root}"$nested"/node_modules "$nested"/; fi
    done ;;
  *) echo "unexpected: npm $*" >&2; exit 1 ;;
esac
`,
  );
  await chmod(join(folder, 'npm'), 0o755);
}

test('the steps of the Dockerfile give a server that starts and is healthy', async (context) => {
  const image = await buildImage(context);
  const { ENTRYPOINT: entrypoint = [], HEALTHCHECK: healthcheck = [] } = image.commands;
  const [program = '', ...words] = entrypoint;
  const environment = {
    PATH: process.env.PATH,
    ...image.environment,
    BASEDRIVE_HOST: '127.0.0.1',
    BASEDRIVE_DATA: inStage(image, image.environment.BASEDRIVE_DATA ?? ''),
    BASEDRIVE_PORT: '0',
    BASEDRIVE_KEY: key,
    // As it is with `docker run --tty`.
    BASEDRIVE_LOG_FORMAT: 'pretty',
  };
  const server = spawn(program, words, {
    cwd: inStage(image, '.'),
    env: environment,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(server, 'exit');
  context.after(async () => {
    server.kill('SIGKILL');
    await ended;
  });
  const { port } = new URL(await announcedUrl(server.stderr));
  const [check = '', ...checkWords] = healthcheck;
  const isHealthy = (given: NodeJS.ProcessEnv) =>
    runFile(check, checkWords, { env: { ...environment, ...given } });
  await isHealthy({ BASEDRIVE_PORT: port });

  // With `--https`, only HTTPS answers.
  const secured = spawn(program, [...words, '--https'], {
    cwd: inStage(image, '.'),
    env: { ...environment, BASEDRIVE_DATA: join(environment.BASEDRIVE_DATA, 'secured') },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const securedEnded = once(secured, 'exit');
  context.after(async () => {
    secured.kill('SIGKILL');
    await securedEnded;
  });
  const { port: securePort } = new URL(await announcedUrl(secured.stderr));
  for (const how of [{}, { BASEDRIVE_HTTPS: 'true' }])
    await isHealthy({ BASEDRIVE_PORT: securePort, ...how });
  secured.kill('SIGKILL');
  await securedEnded;
  await assert.rejects(isHealthy({ BASEDRIVE_PORT: securePort }));

  // Its input is at its end, so it ends at once.
  const agent = spawn(program, [...words, 'mcp', '--url', `http://127.0.0.1:${port}`], {
    cwd: inStage(image, '.'),
    env: { PATH: process.env.PATH, BASEDRIVE_KEY: key },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [told, [code]] = await Promise.all([text(agent.stderr), once(agent, 'exit')]);
  assert.match(told, /^Project demo at /);
  assert.equal(code, 0, told);
});

test('whoever ends a server of packaging/ or compose.yaml waits longer than it does for requests', async () => {
  const graceSeconds = settingRules.shutdownGraceMs.default / 1000;
  for (const [file, waits] of [
    ['compose.yaml', /^ {2}stop_grace_period: (\d+)s$/m],
    ['Dockerfile', /^# .*docker run .*--stop-timeout (\d+)/m],
    ['packaging/basedrive.service', /^TimeoutStopSec=(\d+)$/m],
  ] as const) {
    const seconds = waits.exec(await readFile(join(root, file), 'utf8'))?.[1];
    assert.ok(Number(seconds) > graceSeconds, file);
  }
});

test('the proxy of compose.yaml passes bytes on as that of packaging/ does', async () => {
  const wordsOf = (text: string) => text.replaceAll(/#.*$/gm, '').replaceAll(/\s+/g, ' ');
  const published = wordsOf(await readFile(join(root, 'packaging', 'Caddyfile'), 'utf8'));
  const composed = wordsOf(await readFile(join(root, 'compose.yaml'), 'utf8'));
  const passing = /reverse_proxy [\d.:]+ \{ (.*) \} \}/.exec(published)?.[1] ?? '';
  assert.match(passing, /flush_interval -1 .*compression off/);
  assert.ok(composed.includes(passing), passing);
});
