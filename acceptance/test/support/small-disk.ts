import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { childProcesses } from '../../src/child-processes.js';
import { serverProgram } from '../../src/server-process.js';

/** A server whose data folder is on a small file system of its own, and a shell that can damage it. */
export interface SmallDisk {
  readonly port: number;
  /** Runs a shell command where the file system is mounted. `$DISK` is its root, `$SERVER` the server's process id. */
  run(line: string): Promise<void>;
  /** Kills the server and starts it again on the same files. */
  restart(): Promise<void>;
  /** What the server has printed so far. */
  printed(): string;
  close(): Promise<void>;
}

/** What takes longer never ends: the server could not start, or a shell command waits in vain. */
const patienceMs = 180_000;

/** Why no file system can be mounted here, which needs root or user namespaces; undefined if it can. */
export function whyNoSmallDisk(): string | undefined {
  const tried = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt'], { encoding: 'utf8' });
  return tried.status === 0
    ? undefined
    : `a file system cannot be mounted here: ${tried.stderr || tried.error}`;
}

/** The shell runs in a mount namespace of its own, so that the file system disappears when the shell ends. */
const script = `
DISK=$1; MAIN=$2; KEY=$3; SIZE=$4
mount -t tmpfs -o size=$SIZE tmpfs "$DISK" || exit 1
serve() { node "$MAIN" --data "$DISK/data" --port 0 --key "$KEY" --log-level error 2>&1 & SERVER=$!; }
end() { kill -KILL $SERVER; wait $SERVER 2>/dev/null; }
serve
while read -r LINE; do eval "$LINE"; echo "done: $?"; done
end
`;

export async function openSmallDisk(mountPoint: string, key: string, size: string): Promise<SmallDisk> {
  const shell = spawn(
    'unshare',
    ['-rm', 'sh', '-c', script, 'small-disk', mountPoint, serverProgram, key, size],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  const printed = lines(shell);
  const ended = once(shell, 'exit');
  async function close(): Promise<void> {
    shell.stdin?.end();
    if (printed.isWaitedForInVain()) {
      for (const pid of await childProcesses(shell.pid as number)) process.kill(pid, 'SIGKILL');
      shell.kill('SIGKILL');
    }
    await ended;
  }
  let port = await printed.port().catch(async (cause) => {
    await close();
    throw cause;
  });
  return {
    get port() {
      return port;
    },
    async run(line) {
      shell.stdin?.write(`${line}\n`);
      const status = await printed.done();
      if (status !== '0') throw new Error(`${line}: exit ${status}`);
    },
    async restart() {
      shell.stdin?.write('end; serve\n');
      port = await printed.port();
    },
    printed: printed.all,
    close,
  };
}

/** Waits for what the shell and the server print, by kind. */
function lines(shell: ChildProcess) {
  let all = '';
  let text = '';
  let look = () => {};
  let fail = (_cause: Error) => {};
  let isInVain = false;
  shell.once('exit', (code) => fail(new Error(`the shell ended with ${code}: ${text}`)));
  shell.stdout?.on('data', (chunk: Buffer) => {
    all += chunk.toString();
    text += chunk.toString();
    look();
  });
  function next(pattern: RegExp): Promise<string> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        isInVain = true;
        reject(new Error(`no ${pattern} within ${patienceMs} ms: ${all.slice(-2000)}`));
      }, patienceMs);
      look = () => {
        const found = pattern.exec(text);
        if (found === null) return;
        clearTimeout(timer);
        text = text.slice(found.index + found[0].length);
        look = () => {};
        resolve(found[1] ?? '');
      };
      fail = (cause) => {
        clearTimeout(timer);
        reject(cause);
      };
      look();
    });
  }
  return {
    port: async () => Number(await next(/listens on https?:\/\/127\.0\.0\.1:(\d+)/)),
    done: () => next(/done: (\d+)/),
    all: () => all,
    isWaitedForInVain: () => isInVain,
  };
}
