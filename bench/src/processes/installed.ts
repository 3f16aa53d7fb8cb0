import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of the repository. The compiled file is in bench/dist/src/processes/. */
export const repository = fileURLToPath(new URL('../../../..', import.meta.url));

/** The folder of the handwritten servers and of the npm packages that are installed for the benchmark. */
export const peersFolder = join(repository, 'bench', 'peers');

/** The path of a command, or undefined. The system folders are searched too, even if the path lacks them. */
export function commandPath(name: string): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  return folders.map((folder) => join(folder, name)).find((file) => existsSync(file));
}

/** Why these packages cannot be used, or undefined. They are installed separately: see bench/peers/README.md. */
export function missingPackage(...names: string[]): string | undefined {
  const missing = names.filter((name) => !existsSync(join(peersFolder, 'node_modules', name)));
  return missing.length === 0 ? undefined : `${missing.join(', ')} not installed in bench/peers`;
}

export function missingCommand(...names: string[]): string | undefined {
  const missing = names.filter((name) => commandPath(name) === undefined);
  return missing.length === 0 ? undefined : `${missing.join(', ')} not installed`;
}
