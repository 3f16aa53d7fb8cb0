// Loaded with `--import`: at its end, the program prints which modules in CommonJS it has loaded.
import { Module } from 'node:module';

const { _cache: cache } = Module as unknown as { readonly _cache: Readonly<Record<string, unknown>> };
process.on('exit', () => {
  const names = Object.keys(cache).map((path) => path.split('node_modules/').at(-1));
  process.stderr.write(`loaded modules: ${names.join(' ')}\n`);
});
