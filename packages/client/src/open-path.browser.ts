import { invalid } from './error.js';
import type { OpenPath } from './source.js';

/** Rejects, because browsers have no paths. */
export const openPath: OpenPath = async () => {
  throw invalid("Can't use path in browser environment");
};
