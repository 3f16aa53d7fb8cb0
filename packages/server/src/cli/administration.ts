import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { OperatorError } from '../operator-error.js';
import type { CommandContext } from './command.js';
import { runOnStore, withStore } from './run-on-store.js';

/**
 * Sends a request of docs/http.md#projects and gives its body. Throws `OperatorError` with what an answer says is wrong.
 */
export type Administer = (method: string, path: string, body?: object) => Promise<unknown>;

/**
 * Gives `work` the operator's operations on the store of the options: through the server that has the data folder, or on
 * the store itself. The owner of the store needs no key.
 */
export async function withAdministration<T>(
  { storeSettings, terminal }: CommandContext,
  work: (administer: Administer) => Promise<T>,
): Promise<T> {
  const settings = storeSettings();
  const { environment } = terminal;
  const { withOwnerSocket } = await import('../server/control/owner-socket.js');
  return await runOnStore<T>(settings, terminal, {
    viaServer: (folder) => withOwnerSocket(folder.path, (socketPath) => work(administerOver(socketPath))),
    async directly(items) {
      const { withLocalApi } = await import('../server/local-api.js');
      const { changeStandby } = await import('../store/copy/copy-marker.js');
      return await withStore(settings, environment, items, (store) =>
        withLocalApi(store, { ...settings, writes: true }, (socketPath) => {
          const administer = administerOver(socketPath);
          return work(async (method, path, body) => {
            // Whatever else it changes is compared every few seconds.
            if (method === 'DELETE') await changeStandby(items);
            return await administer(method, path, body);
          });
        }),
      );
    },
  });
}

function administerOver(socketPath: string): Administer {
  return async (method, path, body) => {
    const { status, answer } = await send(socketPath, { method, path }, body);
    if (status < 400) return answer;
    const { errors = [] } = answer as { readonly errors?: readonly string[] };
    throw new OperatorError(errors.join('; ') || `The server answered ${status}`);
  };
}

function send(
  socketPath: string,
  { method, path }: { readonly method: string; readonly path: string },
  body: object | undefined,
): Promise<{ readonly status: number; readonly answer: unknown }> {
  return new Promise((resolve, reject) => {
    const headers = { 'Content-Type': 'application/json' };
    const call = request({ socketPath, method, path, headers, agent: false }, (response) => {
      text(response).then(
        (content) => resolve({ status: response.statusCode ?? 0, answer: JSON.parse(content) }),
        reject,
      );
    });
    call.once('error', (cause) =>
      reject(new OperatorError(`The server stopped during the command: ${cause.message}`, { cause })),
    );
    call.end(body && JSON.stringify(body));
  });
}
