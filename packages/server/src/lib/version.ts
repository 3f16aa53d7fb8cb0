import { readFileSync } from 'node:fs';

interface Manifest {
  readonly version: string;
  readonly optionalDependencies: Readonly<Record<string, string>>;
}

/** The package's `package.json`. */
export function readManifest(): Manifest {
  const file = new URL('../../../package.json', import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')) as Manifest;
}

/** The version in it. */
export function version(): string {
  return readManifest().version;
}
