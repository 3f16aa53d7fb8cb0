// Hooks of the module loader: an import of the acceptance tests' `names.js` loads ours, with the URL of theirs.
import type { ResolveHook } from 'node:module';

const theirs = new URL('../../../../../../acceptance/dist/src/names.js', import.meta.url).href;
const ours = new URL('./names.js', import.meta.url);

export const resolve: ResolveHook = async (specifier, context, nextResolve) => {
  const resolved = await nextResolve(specifier, context);
  if (resolved.url !== theirs || context.parentURL?.startsWith(ours.href)) return resolved;
  return { ...resolved, url: `${ours.href}?raw=${encodeURIComponent(theirs)}` };
};
