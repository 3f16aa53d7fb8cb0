import type { KeyAdministration, KeyRange } from '../../keys/key-administration.js';
import type { NewKeyOptions } from '../../keys/new-key.js';
import { OperatorError } from '../../operator-error.js';
import { callControl, type Operations } from './socket.js';

/** The server's side of the `keys` commands. */
export function keyOperations(keys: KeyAdministration): Operations {
  return {
    'keys/create': async (input) => keys.create(stringOf(input, 'project'), optionsOf(input)),
    'keys/page': (input) => keys.list(input as KeyRange),
    'keys/revoke': async (input) => keys.revoke(stringOf(input, 'id')),
  };
}

/** The command's side. Gives the keys of the server that has the folder, or undefined if no server runs. */
export async function remoteKeys(folder: string): Promise<KeyAdministration | undefined> {
  if ((await callControl(folder, 'keys/page', { limit: 1 })) === undefined) return undefined;
  const call = async <Result>(operation: string, input: unknown) => {
    const answer = await callControl<Result>(folder, operation, input);
    if (answer === undefined) throw new OperatorError('The server stopped during the command: try again');
    return answer.result;
  };
  return {
    create: (project, options) => call('keys/create', { project, options }),
    list: (range) => call('keys/page', range),
    revoke: (id) => call('keys/revoke', { id }),
  };
}

/** The command has checked them. An earlier version of it sends none. */
function optionsOf(input: unknown): NewKeyOptions | undefined {
  return (input as { readonly options?: NewKeyOptions }).options;
}

function stringOf(input: unknown, name: string): string {
  const value = typeof input === 'object' && input !== null ? Reflect.get(input, name) : undefined;
  if (typeof value === 'string') return value;
  throw new OperatorError(`${name}: must be a string`);
}
