import { readSettings } from '../config/read-settings.js';
import type { Settings } from '../config/settings.js';
import { readKeyFile } from '../keys/key-file.js';
import { operatorKeyProblem, projectOf } from '../keys/key-format.js';
import type { Log } from '../lib/log.js';
import { OperatorError } from '../operator-error.js';
import { serviceUrl } from '../server/service.js';
import { openWebServer } from '../server/web-server.js';
import { createControl, type TestControl } from './control.js';
import { createControlRoutes } from './control-routes.js';
import { createFaults } from './faults.js';
import { interceptRequests } from './intercept-requests.js';
import { createMovableClock } from './movable-clock.js';
import { seed } from './seed.js';
import type { Snapshot } from './snapshot.js';
import { openWorld } from './world.js';

export interface TestServer {
  /** `http://127.0.0.1:1234` */
  readonly url: string;
  readonly port: number;
  /** A key that always works, and its project. */
  readonly key: string;
  readonly project: string;
  readonly control: TestControl;
  /** Ends all connections and the server. */
  stop(): Promise<void>;
}

export interface TestServerOptions {
  /** The port; by default any free one. */
  readonly port?: number;
  /** Keys that always work, `{project}_{secret}`; by default `test_key`. The first one is the server's `key`. */
  readonly keys?: readonly string[];
  /** A folder whose content is stored before the server is ready. */
  readonly seed?: string;
}

const optionNames: readonly string[] = ['port', 'keys', 'seed'];
const usualKey = 'test_key';
const host = '127.0.0.1';
/** Where a test receives what webhooks send. */
const loopback = ['127.0.0.0/8', '::1/128'];

/** Errors of the service itself belong to the output of the test; its requests do not. */
const errorsOnly: Log = {
  info() {},
  error: (fields, message) => console.error(`basedrive: ${message}`, fields.err ?? fields),
};

/**
 * Starts a whole Basedrive in this process, for tests: everything in memory, on a free port of this machine. Throws
 * `OperatorError` for an option or a seed that cannot be used.
 */
export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const problem = optionsProblem(options);
  if (problem !== undefined) throw new OperatorError(`startTestServer: ${problem}`);
  const { port = 0, keys = [usualKey], seed: folder } = options;
  const server = await runTestServer(
    { ...memorySettings(), host, port, keys, shutdownGraceMs: 0 },
    errorsOnly,
  );
  try {
    if (folder !== undefined) await server.control.seed(folder);
    return server;
  } catch (cause) {
    await server.stop();
    throw cause;
  }
}

/** What is wrong with the options, which a test in JavaScript may misspell. */
function optionsProblem(options: TestServerOptions): string | undefined {
  const name = Object.keys(options).find((each) => !optionNames.includes(each));
  if (name !== undefined) return `${name} is not one of ${optionNames.join(', ')}`;
  const { port = 0, keys = [], seed: folder = '.' } = options;
  if (!Number.isInteger(port) || port < 0 || port > 65_535) return 'port: must be an integer from 0 to 65535';
  if (!Array.isArray(keys) || keys.some((key) => typeof key !== 'string'))
    return 'keys: must be a list of texts';
  if (typeof folder !== 'string') return 'seed: must be the path of a folder';
  const problem = keys.map(operatorKeyProblem).find((each) => each !== undefined);
  return problem === undefined ? undefined : `keys: ${problem}`;
}

/** Settings that no environment changes. */
function memorySettings(): Settings {
  return readSettings({ memory: true }, {});
}

/** Runs a server for tests with these settings, for a test or for `serve --test`. Throws `OperatorError`. */
export async function runTestServer(given: Settings, log: Log): Promise<TestServer> {
  const settings = { ...given, hookNetworks: [...given.hookNetworks, ...loopback] };
  const fileKeys = settings.keyFile === undefined ? [] : await readKeyFile(settings.keyFile);
  const givenKeys = [...settings.keys, ...fileKeys];
  const keys = givenKeys.length > 0 ? givenKeys : [usualKey];
  const [key = usualKey] = keys;
  const clock = createMovableClock();
  const faults = createFaults();
  const parts = { settings, keys, clock: clock.now, log };
  let world = await openWorld(parts);

  async function replaceWorld(snapshot?: Snapshot): Promise<void> {
    const old = world;
    world = await openWorld(parts, snapshot);
    await old.close();
  }

  const control = createControl({
    clock,
    faults,
    store: () => world.store,
    replace: replaceWorld,
    seed: (folder) => seed(folder, { url, project: projectOf(key), key }),
  });
  const interceptor = { faults, current: () => world.http, control: createControlRoutes(control) };
  const web = await openWebServer(
    settings,
    undefined,
    (server) => interceptRequests(server, interceptor),
    log,
  );
  const url = serviceUrl(settings.host, { port: web.port, secure: false });
  return {
    url,
    port: web.port,
    key,
    project: projectOf(key),
    control,
    async stop() {
      await web.stop();
      await world.close();
    },
  };
}
