import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const source = dirname(fileURLToPath(new URL('../src/index.js', import.meta.url)));
const page = '<!doctype html><title>An application of another origin</title>';

/**
 * A site other than the service: an empty page, the library as a bundle and as published, and a file that looks a year old
 * and is different for every request.
 */
export async function serveSite(): Promise<{ url: string; close(): Promise<void> }> {
  const { outputFiles } = await build({
    entryPoints: [join(source, 'index.js')],
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    write: false,
  });
  let reads = 0;
  const server = createServer(async (request, response) => {
    const path = normalize(request.url ?? '/');
    const isScript = extname(path) === '.js';
    response.setHeader('Content-Type', isScript ? 'text/javascript' : 'text/html');
    if (path.startsWith('/v1/')) {
      response.setHeader('Last-Modified', new Date(Date.now() - 365 * 24 * 3_600_000).toUTCString());
      response.end(`read ${++reads}`);
    } else if (path === '/bundle.js') response.end(outputFiles[0]?.contents);
    else if (isScript) response.end(await readFile(join(source, path)));
    else response.end(page);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
