// Hooks of the module loader: an import of npm `deta` loads this library.
import type { ResolveHook } from 'node:module';

const ours = new URL('../../../src/in-node.js', import.meta.url).href;

export const resolve: ResolveHook = (specifier, context, nextResolve) =>
  nextResolve(specifier === 'deta' ? ours : specifier, context);
