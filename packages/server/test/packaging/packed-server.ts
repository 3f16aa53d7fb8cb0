import { fileURLToPath } from 'node:url';

/** The root of the repository. */
export const root = fileURLToPath(new URL('../../../../../', import.meta.url));

interface PackedServer {
  declaredPackages(omit?: readonly string[]): readonly string[];
  installPackedServer(folder: string, omit?: readonly string[]): readonly string[];
  unpack(source: string, folder: string, integrity?: string): readonly string[];
}

/** The script that also makes releases. */
export const { declaredPackages, installPackedServer, unpack } = (await import(
  new URL('../../../../../scripts/packed-server.mjs', import.meta.url).href
)) as PackedServer;
