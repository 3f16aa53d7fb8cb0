import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { frontEntry } from '../front-entry.js';
import type { TrafficBytes } from '../open-connections.js';
import { type AcceptMessage, descriptors, type FromFront, type ToFront } from './messages.js';
import { type ConnectionEvents, receiveConnections } from './receive-connections.js';

/** A front that is told to stop may send what it still has for this long. */
const stopMs = 6000;

export interface FrontOptions extends ConnectionEvents {
  /** The descriptor of the socket on which it accepts connections. */
  readonly listening: number;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly accept: AcceptMessage;
  readonly onPlainHttp: () => void;
  /** Called with what went wrong when it accepted connections. */
  readonly onFailure: (cause: Error) => void;
  /** Called when its process has ended. */
  readonly onExit: (how: { readonly code: number | null; readonly signal: string | null }) => void;
}

export type Front = ReturnType<typeof startFront>;

/** Starts the process of a front, and makes streams of its connections. Throws if the system does not start it. */
export function startFront(options: FrontOptions) {
  const { accept, onExit, onFailure, onPlainHttp } = options;
  const child = spawnFront(options);
  const exited = once(child, 'exit').catch(() => {});
  const frames = child.stdio[descriptors.frames] as Socket;
  receiveConnections(frames, options, accept.certificate !== undefined);
  let traffic: TrafficBytes = { receivedBytes: 0, sentBytes: 0 };

  const listening = new Promise<void>((resolve, reject) => {
    child.on('message', (message: FromFront) => {
      if ('listening' in message) resolve();
      else if ('traffic' in message) traffic = message.traffic;
      else if ('plainHttp' in message) onPlainHttp();
      else {
        const cause = Object.assign(new Error(message.failed.message), { code: message.failed.code });
        reject(cause);
        onFailure(cause);
      }
    });
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      reject(new Error(`The front has ended: ${signal ?? code}`));
      onExit({ code, signal });
    });
  });
  // Whoever waits for it gets the failure; for a front that is replaced, `onExit` tells enough.
  listening.catch(() => {});
  tell(child, { accept });

  return {
    /** Resolves when it accepts connections, and rejects if it cannot. */
    listening,
    /** What it has told last. */
    traffic: () => traffic,
    tell: (message: ToFront) => tell(child, message),
    /** Ends its process, which first sends what it still has. */
    async stop() {
      tell(child, { stop: true });
      const timer = setTimeout(() => child.kill('SIGKILL'), stopMs);
      if (child.exitCode === null && child.signalCode === null) await exited;
      clearTimeout(timer);
    },
  };
}

function spawnFront({ listening, environment }: FrontOptions): ChildProcess {
  const child = spawn(process.execPath, [frontEntry], {
    stdio: ['ignore', 'ignore', 'inherit', listening, 'pipe', 'ipc'],
    env: usedVariables(environment),
  });
  if (child.pid !== undefined) return child;
  // Node tells later what was missing, and has no streams then.
  child.on('error', () => {});
  throw new Error('The system starts no process: too many files are open, or too many processes run');
}

function tell(child: ChildProcess, message: ToFront): void {
  if (child.connected) child.send(message, () => {});
}

/** What Node and OpenSSL read: nothing of the server's own, which may be secret. */
function usedVariables(environment: FrontOptions['environment']): Record<string, string> {
  const entries = Object.entries(environment).filter(([name]) =>
    /^(NODE_|OPENSSL_|SSL_|TZ$|LANG$)/.test(name),
  );
  return Object.fromEntries(entries) as Record<string, string>;
}
