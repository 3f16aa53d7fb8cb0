import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of the repository. This file lies in bench/dist/src/processes/ when it runs. */
export const repository = fileURLToPath(new URL('../../../..', import.meta.url));

/** Programs of the contenders that packages do not bring. */
export const peersFolder = join(repository, 'bench', 'peers');

/** Where a command is, or undefined. System folders count even where the path of a user lacks them. */
export function commandPath(name: string): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  return folders.map((folder) => join(folder, name)).find((file) => existsSync(file));
}

/** Why these packages cannot be used, or undefined. They are installed apart: see bench/peers/README.md. */
export function missingPackage(...names: string[]): string | undefined {
  const missing = names.filter((name) => !existsSync(join(peersFolder, 'node_modules', name)));
  return missing.length === 0 ? undefined : `${missing.join(', ')} not installed in bench/peers`;
}

export function missingCommand(...names: string[]): string | undefined {
  const missing = names.filter((name) => commandPath(name) === undefined);
  return missing.length === 0 ? undefined : `${missing.join(', ')} not installed`;
}
