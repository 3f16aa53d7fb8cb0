import { invalid } from './error.js';
import type { OpenPath } from './source.js';

/** Browsers: there are no paths. */
export const openPath: OpenPath = async () => {
  throw invalid("Can't use path in browser environment");
};
